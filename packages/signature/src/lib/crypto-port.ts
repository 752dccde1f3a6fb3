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
 * Returns the port's `hmacSync`, or throws `SYNC_UNAVAILABLE`. `signSync` and `verifySync` call it before they check
 * their input, so that they throw this error whatever the input is.
 */
export function requireHmacSync<Key>(port: CryptoPort<Key>): NonNullable<CryptoPort<Key>['hmacSync']> {
  if (port.hmacSync) return port.hmacSync
  throw new WebhookVerificationError('SYNC_UNAVAILABLE', 'No node:crypto here: use sign or verify')
}
