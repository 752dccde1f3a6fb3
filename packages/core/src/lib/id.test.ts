import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createId, idFromUuid, isId, uuidFromId } from './id.ts'

describe('ids', () => {
  it('are a prefix and 26 characters of lower-case Crockford base32', () => {
    for (let n = 0; n < 1_000; n++) expect(createId('evt')).toMatch(/^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  })

  it('sort as strings by the time of their creation', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 47), fc.integer({ min: 1, max: 2 ** 40 }), (time, later) => {
        expect(createId('evt', { now: time }) < createId('evt', { now: time + later })).toBe(true)
      }),
    )
  })

  it('created within one millisecond sort in the order of their creation', () => {
    const ids = Array.from({ length: 20_000 }, () => createId('att', { now: 1_767_225_600_000 }))
    expect(ids.findIndex((id, index) => index > 0 && id <= ids[index - 1]!)).toBe(-1)
  })

  it('encode a UUIDv7 that contains the time of creation (RFC 9562)', () => {
    const uuid = uuidFromId('evt', createId('evt', { now: 0x0123456789ab }))
    expect(uuid).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('can encode any UUID, and decode to the same UUID', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const id = idFromUuid('sub', uuid)
        expect(isId('sub', id)).toBe(true)
        expect(uuidFromId('sub', id)).toBe(uuid)
      }),
    )
    expect(idFromUuid('evt', 'ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe('evt_7zzzzzzzzzzzzzzzzzzzzzzzzz')
    expect(idFromUuid('evt', '00000000-0000-0000-0000-000000000001')).toBe('evt_00000000000000000000000001')
  })

  it('cannot be created from a text that is not a UUID, and a failure does not affect the next id', () => {
    const uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    for (const wrong of [`${uuid}ffff`, `${uuid}f`, uuid.slice(0, -1), uuid.slice(0, -2), '', `${uuid.slice(1)}g`])
      expect(() => idFromUuid('evt', wrong)).toThrow(TypeError)
    expect(idFromUuid('evt', uuid.replaceAll('-', ''))).toBe(idFromUuid('evt', uuid))
    expect(idFromUuid('evt', uuid)).toBe('evt_7zzzzzzzzzzzzzzzzzzzzzzzzz')
  })

  it('are unique', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => createId('req', { now: 1 }))).size).toBe(10_000)
  })

  it.each([
    '',
    'evt_',
    'evt_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    'evt_01m7xkshwzf09bw7vqbf7k4r1',
    'evt_01m7xkshwzf09bw7vqbf7k4r1vv',
    'sub_01m7xkshwzf09bw7vqbf7k4r1v',
    'evt_01M7XKSHWZF09BW7VQBF7K4R1V',
    'evt_01m7xkshwzf09bw7vqbf7k4r1u',
    'evt_01m7xkshwzf09bw7vqbf7k4r1\0',
  ])('do not match the malformed string %j', (text) => {
    expect(isId('evt', text)).toBe(false)
    expect(() => uuidFromId('evt', text)).toThrow(TypeError)
  })
})
