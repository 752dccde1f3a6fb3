import { describe, expect, it } from 'vitest'
import * as node from './crypto-node.ts'
import * as web from './crypto-web.ts'

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

describe.each([
  ['node:crypto', node],
  ['WebCrypto', web],
])('%s', (_, { sha256, hmacSha256 }) => {
  it('hashes a string to the SHA-256 of its UTF-8 bytes', async () => {
    // FIPS 180-2, appendix B.1.
    expect(hex(await sha256('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(hex(await sha256('Zoë'))).toBe(hex(await web.sha256('Zoë')))
  })

  it('computes HMAC-SHA256', async () => {
    // RFC 4231, section 4.2.
    const hmac = hmacSha256(new Uint8Array(20).fill(0x0b))
    expect(hex(await hmac(new TextEncoder().encode('Hi There')))).toBe(
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    )
  })
})
