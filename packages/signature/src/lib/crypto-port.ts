import { WebhookVerificationError } from './webhook-verification-error.ts'

/** The cryptography that differs between runtimes; `#crypto` resolves to one of its two implementations. */
export interface CryptoPort<Key> {
  /** Prepares the bytes of a key for repeated use. */
  readonly importKey: (bytes: Uint8Array<ArrayBuffer>) => Key
  /** Returns the base64 of the HMAC-SHA256 of `head` followed by `body`. */
  readonly hmac: (key: Key, head: string, body: string | Uint8Array) => Promise<string>
  /** The synchronous `hmac`, if the runtime has one. */
  readonly hmacSync: ((key: Key, head: string, body: string | Uint8Array) => string) | undefined
  /** Compares two ASCII texts of the same length in constant time. */
  readonly equal: (a: string, b: string) => boolean
}

/** Returns the port's `hmacSync`, or throws `SYNC_UNAVAILABLE`. Callers do this first, so that no input changes it. */
export function requireHmacSync<Key>(port: CryptoPort<Key>): NonNullable<CryptoPort<Key>['hmacSync']> {
  if (port.hmacSync) return port.hmacSync
  throw new WebhookVerificationError('SYNC_UNAVAILABLE', 'No node:crypto here: use sign or verify')
}
