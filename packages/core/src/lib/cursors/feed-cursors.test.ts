/**
 * Properties:
 *
 * 1. A cursor opens to its place with its own binding.
 * 2. A cursor does not open if any of its bits is changed, or with another binding.
 * 3. `open` never throws, whatever string it reads.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64Url, encodeBase64Url } from '../encoding/base64url.ts'
import { createId, idFromUuid } from '../id.ts'
import { createKeyRing } from '../secrets/key-ring.ts'
import { createFeedCursors } from './feed-cursors.ts'

const k1 = new Uint8Array(32).fill(1)
const k2 = new Uint8Array(32).fill(2)
const cursors = createFeedCursors(createKeyRing({ current: 'k1', keys: { k1 } }))
const BINDING = ['acc_1', 'live', 'feed', null]
const PLACE = {
  generation: 'a3bb189e-8bf9-4888-9912-ace4e6543002',
  position: 12_345,
  event: { id: createId('evt'), publishedAt: 1_790_000_000_000 },
}

const uuid = fc.uuid({ version: [4, 7] })
const place = fc.record({
  generation: uuid,
  position: fc.maxSafeNat(),
  event: fc.option(
    fc.record({
      id: uuid.map((text) => idFromUuid('evt', text)),
      publishedAt: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    }),
    { nil: undefined },
  ),
})
const binding = fc.tuple(
  fc.constantFrom('acc_1', 'acc_2'),
  fc.constantFrom('live', 'test'),
  fc.constantFrom('feed', 'other'),
  fc.constantFrom(null, 'order.paid', 'order.created,order.paid'),
)

describe('a cursor of the feed', () => {
  it('opens to its place, and only for its own list, account, mode and types (properties 1, 2)', async () => {
    await fc.assert(
      fc.asyncProperty(place, binding, binding, async (at, bound, other) => {
        const cursor = await cursors.seal(at, bound)
        expect(await cursors.open(cursor, bound)).toEqual(at)
        expect(await cursors.open(cursor, other)).toEqual(
          JSON.stringify(bound) === JSON.stringify(other) ? at : undefined,
        )
      }),
    )
  })

  it('does not open when any of its bits is changed (property 2)', async () => {
    const bytes = decodeBase64Url(await cursors.seal(PLACE, BINDING))!
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Uint8Array.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(await cursors.open(encodeBase64Url(changed), BINDING)).toBeUndefined()
    }
  })

  it('opens from no other string, and never throws (property 3)', async () => {
    const shaped = fc
      .uint8Array({ minLength: 78, maxLength: 78 })
      .map((bytes) => encodeBase64Url(Uint8Array.from([2, 2, 107, 49, ...bytes.subarray(4)])))
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.base64String(), shaped), async (text) => {
        expect(await cursors.open(text, BINDING)).toBeUndefined()
      }),
    )
    expect(await cursors.open('A'.repeat(1_000_000), BINDING)).toBeUndefined()
  })

  it('does not show its position: cursors of two places share nothing but their header', async () => {
    const [one, two] = await Promise.all(
      [PLACE, { ...PLACE, position: PLACE.position + 1 }].map((at) => cursors.seal(at, BINDING)),
    )
    const [a, b] = [decodeBase64Url(one!)!.subarray(4), decodeBase64Url(two!)!.subarray(4)]
    expect(a.filter((byte, index) => byte === b[index]).length).toBeLessThan(8)
  })

  it('is the same for the same place', async () => {
    expect(await cursors.seal(PLACE, BINDING)).toBe(await cursors.seal({ ...PLACE }, [...BINDING]))
  })

  it('opens only while the key that encrypted it is in the ring', async () => {
    const cursor = await cursors.seal(PLACE, BINDING)
    const opens = (current: string, keys: Record<string, Uint8Array>) =>
      createFeedCursors(createKeyRing({ current, keys })).open(cursor, BINDING)
    expect(await opens('k2', { k1, k2 })).toEqual(PLACE)
    expect(await opens('k2', { k2 })).toBeUndefined()
    expect(await opens('k1', { k1: k2 })).toBeUndefined()
  })

  it('opens if its key id has the maximum length', async () => {
    const keyId = 'k'.repeat(32)
    const long = createFeedCursors(createKeyRing({ current: keyId, keys: { [keyId]: k1 } }))
    expect(await long.open(await long.seal(PLACE, BINDING), BINDING)).toEqual(PLACE)
  })
})
