import { WebhookVerificationError } from './webhook-verification-error.ts'

/** The cryptography that differs between runtimes. `#crypto` resolves to one of two implementations of this port. */
export interface CryptoPort<Key> {
  /** Prepares the bytes of a key for repeated use. */
  readonly importKey: (bytes: Uint8Array<ArrayBuffer>) => Key
  /** Returns the base64 of the HMAC-SHA256 of `head` followed by `body`. */
  readonly hmac: (key: Key, head: string, body: string | Uint8Array) => Promise<string>
  /** The synchronous `hmac`; undefined if the runtime has none. */
  readonly hmacSync: ((key: Key, head: string, body: string | Uint8Array) => string) | undefined
  /** Compares two ASCII strings of the same length in constant time. */
  readonly equal: (a: string, b: string) => boolean
}

/**
 * Returns the port's `hmacSync`, or throws `SYNC_UNAVAILABLE`. Callers must call it before they read any input, so that
 * the error does not depend on the input.
 */
export function requireHmacSync<Key>(port: CryptoPort<Key>): NonNullable<CryptoPort<Key>['hmacSync']> {
  if (port.hmacSync) return port.hmacSync
  throw new WebhookVerificationError('SYNC_UNAVAILABLE', 'No node:crypto here: use sign or verify')
}
