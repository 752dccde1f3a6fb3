import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

const encoder = new TextEncoder()

/**
 * A `KeyObject` made each time costs 0.6 µs and saves 9: on Node 24 `createHmac` takes 12 µs with the bytes of the
 * key, 3.1 µs with `createSecretKey` (1 KiB body). Keeping it would save less than 1 µs of the 5 that `signSync` takes.
 */
export function hmacSync(key: Uint8Array<ArrayBuffer>, head: string, body: string | Uint8Array): string {
  return createHmac('sha256', createSecretKey(key)).update(head).update(body).digest('base64')
}

export async function hmac(key: Uint8Array<ArrayBuffer>, head: string, body: string | Uint8Array): Promise<string> {
  return hmacSync(key, head, body)
}

export function equal(a: string, b: string): boolean {
  return timingSafeEqual(encoder.encode(a), encoder.encode(b))
}
