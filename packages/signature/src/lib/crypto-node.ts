import { hash, timingSafeEqual } from 'node:crypto'
import type { CryptoPort } from './crypto-port.ts'

/** Bytes that SHA-256 takes at a time: no key of ours is longer, so none is hashed first (RFC 2104, section 2). */
const BLOCK = 64

/** What HMAC hashes: the padded key before the message, and before the digest of these two. */
interface PaddedKey {
  readonly inner: Buffer
  readonly outer: Buffer
}

/** Most messages fit, so that none of them is allocated; the next one overwrites it. */
const message = Buffer.allocUnsafeSlow(65_536)

/** By two hashes at once: 1.6 µs on Node 24 (1 KiB), where `createHmac` with a `KeyObject` takes 2.4 (decisions/009). */
function hmacSync({ inner, outer }: PaddedKey, head: string, body: string | Uint8Array): string {
  // UTF-8 takes up to three bytes for each unit of a string.
  const most = BLOCK + head.length + (typeof body === 'string' ? 3 * body.length : body.length)
  const bytes = most <= message.length ? message : Buffer.allocUnsafe(most)
  bytes.set(inner)
  let end = BLOCK + bytes.write(head, BLOCK, 'latin1')
  if (typeof body === 'string') end += bytes.write(body, end)
  else {
    bytes.set(body, end)
    end += body.length
  }
  outer.write(hash('sha256', bytes.subarray(0, end), 'hex'), BLOCK, 'hex')
  return hash('sha256', outer, 'base64')
}

export const port: CryptoPort<PaddedKey> = {
  importKey(key) {
    const inner = Buffer.alloc(BLOCK, 0x36)
    const outer = Buffer.alloc(BLOCK + 32, 0x5c)
    for (const [i, byte] of key.entries()) {
      inner[i] = 0x36 ^ byte
      outer[i] = 0x5c ^ byte
    }
    return { inner, outer }
  },
  hmac: async (key, head, body) => hmacSync(key, head, body),
  hmacSync,
  // `latin1`: all that comes here is ASCII. Encoding to UTF-8 takes four times as long (0.76 µs).
  equal: (a, b) => timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')),
}
