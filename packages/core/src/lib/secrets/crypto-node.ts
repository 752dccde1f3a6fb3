import { createHmac, createSecretKey, hash } from 'node:crypto'
import type { Hmac } from './hmac.ts'

/**
 * Hashes to hex and converts the hex to bytes, because that is fastest: 0.6 µs for an API key. Hashing directly to a
 * buffer takes 0.9 µs, `createHash` 1.3 µs, and WebCrypto, which switches threads, 42 µs.
 */
export function sha256(text: string): Uint8Array {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex')
}

/** Returns a function that signs with this key. Signing a cursor takes 2.2 µs. */
export function hmacSha256(key: Uint8Array<ArrayBuffer>): Hmac {
  const secret = createSecretKey(key)
  return async (bytes) => createHmac('sha256', secret).update(bytes).digest()
}
