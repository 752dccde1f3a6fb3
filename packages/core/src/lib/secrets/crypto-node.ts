import { createHmac, createSecretKey, hash } from 'node:crypto'
import type { Hmac } from './hmac.ts'

/** By way of hex 0.6 µs for an API key, straight into a buffer 0.9, by `createHash` 1.3; WebCrypto takes 42 and hops to another thread and back. */
export function sha256(text: string): Uint8Array {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex')
}

/** 2.2 µs for a cursor. */
export function hmacSha256(key: Uint8Array<ArrayBuffer>): Hmac {
  const secret = createSecretKey(key)
  return async (bytes) => createHmac('sha256', secret).update(bytes).digest()
}
