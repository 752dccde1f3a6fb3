/**
 * Properties:
 *
 * 1. A created token is well formed.
 * 2. The same token with one character changed, dropped or added is not well formed.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBase62 } from '../encoding/base62.ts'
import { crc32 } from '../encoding/crc32.ts'
import { idFromUuid, isId } from '../id.ts'
import { createApiKey, hashApiKey, isApiKey, isApiKeyPrefix } from './api-key.ts'

const prefix = fc.stringMatching(/^[a-z0-9]{1,16}$/)
const id = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => idFromUuid('key', Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')))
const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })
const key = fc.record({ prefix, mode: fc.constantFrom('live' as const, 'test' as const), id, secret })

const signed = (text: string) => text + encodeBase62(BigInt(crc32(text)), 6)

describe('an API key', () => {
  it('is well formed when created (property 1)', () => {
    fc.assert(
      fc.property(key, ({ secret: bytes, ...rest }) => {
        const { token } = createApiKey({ ...rest, random: () => bytes })
        expect(token).toMatch(/^[a-z0-9]{1,16}_(live|test)_[0-9A-Za-z]{71}$/)
        expect(isApiKey(token, rest.prefix)).toBe(true)
      }),
    )
  })

  it('is refused when mistyped (property 2)', () => {
    fc.assert(
      fc.property(
        key,
        fc.nat(),
        fc.constantFrom(...'09azAZ_- '),
        fc.constantFrom(0, 1),
        ({ secret: bytes, ...rest }, seed, character, drop) => {
          const { token } = createApiKey({ ...rest, random: () => bytes })
          const at = seed % token.length
          const mistyped = token.slice(0, at) + character + token.slice(at + drop)
          fc.pre(mistyped !== token)
          expect(isApiKey(mistyped, rest.prefix)).toBe(false)
          expect(isApiKey(token.slice(0, at) + token.slice(at + 1), rest.prefix)).toBe(false)
        },
      ),
    )
  })

  it('still has the format of tokens that were issued earlier', () => {
    const made = createApiKey({
      prefix: 'cb',
      mode: 'live',
      id: 'key_01jb2t3vphf8mvd2z7r5q4k9xw',
      random: (bytes) => bytes.fill(255),
    })
    expect(made).toEqual({
      id: 'key_01jb2t3vphf8mvd2z7r5q4k9xw',
      token: 'cb_live_02y4Am6ez5djI2EG30xKdoyhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp109dtad',
    })
  })

  it('has an id and a secret that no other key has', () => {
    const [one, two] = [createApiKey({ prefix: 'cb', mode: 'test' }), createApiKey({ prefix: 'cb', mode: 'test' })]
    expect(isId('key', one.id)).toBe(true)
    expect(one.id).not.toBe(two.id)
    expect(one.token.slice(8 + 22, -6)).not.toBe(two.token.slice(8 + 22, -6))
  })

  it('is refused if its prefix or mode is wrong', () => {
    const { token } = createApiKey({ prefix: 'cb', mode: 'live' })
    expect(isApiKey(token, 'c')).toBe(false)
    expect(isApiKey(token, 'cb_live')).toBe(false)
    expect(isApiKey(token.replace('live', 'test'), 'cb')).toBe(false)
    expect(isApiKey(signed(`cb_prod_${'0'.repeat(65)}`), 'cb')).toBe(false)
    expect(isApiKey(`${token}\n`, 'cb')).toBe(false)
  })

  it('is refused when its id exceeds 128 bits or its secret exceeds 256', () => {
    const maxId = encodeBase62((1n << 128n) - 1n, 22)
    const maxSecret = encodeBase62((1n << 256n) - 1n, 43)
    const zeroId = '0'.repeat(22)
    expect(isApiKey(signed(`cb_live_${maxId}${maxSecret}`), 'cb')).toBe(true)
    expect(isApiKey(signed(`cb_live_${encodeBase62(1n << 128n, 22)}${maxSecret}`), 'cb')).toBe(false)
    expect(isApiKey(signed(`cb_live_${zeroId}${encodeBase62(1n << 256n, 43)}`), 'cb')).toBe(false)
  })

  it.each(['', 'CB', 'c_b', 'c-b', 'a'.repeat(17), 'cb\n'])('cannot be created with the prefix %j', (bad) => {
    expect(isApiKeyPrefix(bad)).toBe(false)
    expect(() => createApiKey({ prefix: bad, mode: 'live' })).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION_INVALID' }),
    )
  })

  it('is hashed to the SHA-256 of the whole token', async () => {
    // FIPS 180-2, appendix B.1.
    const hash = await hashApiKey('abc')
    expect(Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})

describe('crc32', () => {
  it('returns the same CRC-32 as zlib', () => {
    expect(crc32('123456789')).toBe(0xcbf43926)
    expect(crc32('')).toBe(0)
  })
})
