import { describe, expect, it } from 'vitest'
import { encodeBase64Url } from '../encoding/base64url.ts'
import { createKeyRing, matchDigest, type SecretKeys } from './key-ring.ts'

const k1 = new Uint8Array(32).fill(1)
const k2 = new Uint8Array(32).fill(2)
const ring = createKeyRing({ current: 'k2', keys: { k1, k2 } })

describe('createKeyRing', () => {
  it('accepts the same key as bytes or as base64', async () => {
    const written = createKeyRing({ current: 'k1', keys: { k1: btoa(String.fromCharCode(...k1)) } })
    expect(await written.digests('text')).toEqual(await createKeyRing({ current: 'k1', keys: { k1 } }).digests('text'))
  })

  it.each<[string, SecretKeys, string]>([
    ['a current key that is missing', { current: 'k2', keys: { k1 } }, 'secretKeys.current'],
    [
      'a current key id that is a property of every object',
      { current: 'toString', keys: { k1 } },
      'secretKeys.current',
    ],
    ['no key', { current: '', keys: {} }, 'secretKeys.current'],
    ['a key of 31 bytes', { current: 'k1', keys: { k1: k1.slice(1) } }, 'secretKeys.keys.k1'],
    ['a short former key', { current: 'k1', keys: { k1, k0: 'c2hvcnQ=' } }, 'secretKeys.keys.k0'],
    [
      'a key that is not base64',
      { current: 'k1', keys: { k1: 'a secret sentence of more than thirty-two characters' } },
      'secretKeys.keys.k1',
    ],
    ['a key id with a dot', { current: 'k.1', keys: { 'k.1': k1 } }, 'secretKeys.keys.k.1'],
    [
      'an overlong key id',
      { current: 'k'.repeat(33), keys: { ['k'.repeat(33)]: k1 } },
      `secretKeys.keys.${'k'.repeat(33)}`,
    ],
  ])('refuses %s', (_, keys, path) => {
    expect(() => createKeyRing(keys)).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION_INVALID', issues: [expect.objectContaining({ path })] }),
    )
  })

  it.each([
    ['an empty text', '', 'the key is empty, perhaps because its environment variable is not set'],
    ['white space', ' \n', 'the key is empty, perhaps because its environment variable is not set'],
    ['64 hexadecimal characters', '0123456789abcdef'.repeat(4), 'the key is hexadecimal, but must be base64'],
    ['64 hexadecimal capitals', '0123456789ABCDEF'.repeat(4), 'the key is hexadecimal, but must be base64'],
    ['31 bytes', btoa('k'.repeat(31)), 'the key has 31 bytes, but must have at least 32'],
    ['32 characters of text', 'k'.repeat(32), 'the key has 24 bytes, but must have at least 32'],
    ['base64 with a line break', `${btoa('k'.repeat(32))}\n`, 'a key must be bytes or a base64 string'],
  ])('says what is wrong with a key of %s, and how to create one', (_, key, problem) => {
    expect(() => createKeyRing({ current: 'k1', keys: { k1: key } })).toThrow(
      `secretKeys.keys.k1: ${problem}. Create a key with: openssl rand -base64 32`,
    )
  })

  it('throws errors that contain no key', () => {
    const secret = 'not-base64-but-secret'
    try {
      createKeyRing({ current: 'k1', keys: { k1: secret } })
      expect.unreachable()
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toContain(secret)
    }
  })

  it('copies the keys, so that the platform can wipe its own array', async () => {
    const bytes = Uint8Array.from(k1)
    const kept = createKeyRing({ current: 'k1', keys: { k1: bytes } })
    bytes.fill(0)
    expect(await kept.digests('text')).toEqual(await createKeyRing({ current: 'k1', keys: { k1 } }).digests('text'))
  })

  it('finds no key for an id that is not in the ring', () => {
    expect(ring.cursorHmac('k3')).toBeUndefined()
    expect(ring.sealing('toString')).toBeUndefined()
  })

  it('derives a separate key for each purpose, and each key only once', async () => {
    const hmac = await ring.cursorHmac('k1')
    const cursor = encodeBase64Url(await hmac!(new TextEncoder().encode('text')))
    expect(await ring.digests('text')).not.toContain(`k1.${cursor}`)
    expect(ring.cursorHmac('k1')).toBe(ring.cursorHmac('k1'))
    expect(ring.sealing('k1')).toBe(ring.sealing('k1'))
  })

  it('derives the same keys as earlier releases: HKDF-SHA256, no salt, info callboard/v1/<purpose>', async () => {
    expect(await createKeyRing({ current: 'k1', keys: { k1 } }).digests('text')).toEqual([
      'k1.72iJx2Fi9daF2D2SqvI_e5jbqzBbPrnj3uBCXscKk40',
    ])
  })
})

describe('the digests of a text', () => {
  it('include one for each key of the ring, starting with the current key', async () => {
    expect((await ring.digests('text')).map((digest) => digest.split('.')[0])).toEqual(['k2', 'k1'])
  })

  it('show whether two texts are the same, even after a key rotation', async () => {
    const [kept] = await createKeyRing({ current: 'k1', keys: { k1 } }).digests('text')
    expect(matchDigest(kept!, await ring.digests('text'))).toBe('same')
    expect(matchDigest(kept!, await ring.digests('Text'))).toBe('different')
  })

  it('cannot be compared once their key has been removed from the ring', async () => {
    const [kept] = await createKeyRing({ current: 'k3', keys: { k3: k1 } }).digests('text')
    expect(matchDigest(kept!, await ring.digests('text'))).toBe('unknown-key')
    expect(matchDigest('', await ring.digests('text'))).toBe('unknown-key')
    // The ring has no key `k`, although the ids of two of its keys begin with `k`.
    expect(matchDigest('k.x', await ring.digests('text'))).toBe('unknown-key')
  })
})
