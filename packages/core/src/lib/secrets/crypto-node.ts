import { createHmac, createSecretKey, hash } from 'node:crypto'
import type { Hmac } from './hmac.ts'

/**
 * Hashes by way of hex, which takes 0.6 µs for an API key. Straight into a buffer it takes 0.9, with `createHash` 1.3,
 * and with WebCrypto 42, because that switches threads.
 */
export function sha256(text: string): Uint8Array {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex')
}

/** Takes 2.2 µs for a cursor. */
export function hmacSha256(key: Uint8Array<ArrayBuffer>): Hmac {
  const secret = createSecretKey(key)
  return async (bytes) => createHmac('sha256', secret).update(bytes).digest()
}
