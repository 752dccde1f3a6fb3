import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { CryptoPort } from './crypto-port.ts'

function hmacSync(key: KeyObject, head: string, body: string | Uint8Array): string {
  return createHmac('sha256', key).update(head).update(body).digest('base64')
}

export const port: CryptoPort<KeyObject> = {
  // On Node 24 (1 KiB body) `createHmac` takes 12.1 µs with the bytes of a key, 2.4 with its `KeyObject`, and making that 1.4.
  importKey: (bytes) => createSecretKey(bytes),
  hmac: async (key, head, body) => hmacSync(key, head, body),
  hmacSync,
  // `latin1`: all that comes here is ASCII. Encoding to UTF-8 takes four times as long (0.76 µs).
  equal: (a, b) => timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')),
}
