import { WebhookVerificationError } from './webhook-verification-error.ts'

/** What differs between runtimes; `#crypto` is one of the two files that keep it. */
export interface CryptoPort<Key> {
  /** The bytes of a key in the form that is quickest to use again. */
  readonly importKey: (bytes: Uint8Array<ArrayBuffer>) => Key
  /** Base64 of the HMAC-SHA256 of `head` followed by `body`. */
  readonly hmac: (key: Key, head: string, body: string | Uint8Array) => Promise<string>
  /** The same at once, where the runtime can. */
  readonly hmacSync: ((key: Key, head: string, body: string | Uint8Array) => string) | undefined
  /** Whether two ASCII texts of the same length are equal, in a time that does not depend on where they differ. */
  readonly equal: (a: string, b: string) => boolean
}

/** The port's `hmacSync`, or a typed refusal: asked first, so that it does not depend on the input. */
export function requireHmacSync<Key>(port: CryptoPort<Key>): NonNullable<CryptoPort<Key>['hmacSync']> {
  if (port.hmacSync) return port.hmacSync
  throw new WebhookVerificationError('SYNC_UNAVAILABLE', 'No node:crypto here: use sign or verify')
}
