import { hash, timingSafeEqual } from 'node:crypto'
import type { CryptoPort } from './crypto-port.ts'

/**
 * The block size of SHA-256 in bytes. HMAC would have to hash a longer key first (RFC 2104, section 2), but no secret
 * is longer.
 */
const BLOCK = 64

/**
 * A key, padded in the two ways that HMAC needs: `inner` precedes the message, and `outer` precedes the digest of
 * `inner` and the message. `outer` has room for that digest.
 */
interface PaddedKey {
  readonly inner: Buffer
  readonly outer: Buffer
}

/** A buffer that is reused, so that most messages need no allocation. */
const message = Buffer.allocUnsafeSlow(65_536)

/**
 * Computes an HMAC as two one-shot hashes. For 1 KiB on Node 24, this takes 1.6 µs, while `createHmac` with a
 * `KeyObject` takes 2.4 µs (decisions/009).
 */
function hmacSync({ inner, outer }: PaddedKey, head: string, body: string | Uint8Array): string {
  // UTF-8 takes at most three bytes per UTF-16 code unit.
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
  // Both strings are ASCII, so `latin1` is enough. Encoding them as UTF-8 would take 0.76 µs, four times as long.
  equal: (a, b) => timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')),
}
