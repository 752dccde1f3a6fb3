/**
 * Properties:
 *
 * 1. A cursor decodes to its place and is valid with its own binding.
 * 2. A cursor is invalid if any of its bits is changed, or if it is verified with another binding.
 * 3. `readCursor` never throws, whatever string it reads.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64Url, encodeBase64Url } from '../encoding/base64url.ts'
import { createId, idFromUuid, isId } from '../id.ts'
import { createKeyRing } from '../secrets/key-ring.ts'
import { type CursorBinding, encodeCursor, readCursor, verifyCursor } from './cursor-format.ts'

const k1 = new Uint8Array(32).fill(1)
const k2 = new Uint8Array(32).fill(2)
const ring = createKeyRing({ current: 'k1', keys: { k1 } })
const BINDING: CursorBinding = { accountId: 'acc_1', mode: 'live', type: 'order.paid' }
const POSITION = { occurredAt: 1_790_000_000_000, id: createId('evt') }

const place = fc.record({
  occurredAt: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  id: fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .map((bytes) => idFromUuid('evt', Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''))),
})
const binding: fc.Arbitrary<CursorBinding> = fc.record({
  accountId: fc.constantFrom('acc_1', 'acc_2', 'acc_1","live', ''),
  mode: fc.constantFrom('live' as const, 'test' as const),
  type: fc.constantFrom(undefined, 'order.paid', 'order', 'null', ''),
})

async function verifies(cursor: string, bound: CursorBinding, keys = ring): Promise<boolean> {
  const read = readCursor(cursor)
  return read !== undefined && verifyCursor(read, bound, keys)
}

describe('a cursor', () => {
  it('decodes to its place, and is valid only for its own account, mode and filter (properties 1, 2)', async () => {
    await fc.assert(
      fc.asyncProperty(place, binding, binding, async (at, bound, other) => {
        const cursor = await encodeCursor(at, bound, ring)
        expect(readCursor(cursor)?.place).toEqual(at)
        expect(await verifies(cursor, bound)).toBe(true)
        expect(await verifies(cursor, other)).toBe(
          bound.accountId === other.accountId && bound.mode === other.mode && bound.type === other.type,
        )
      }),
    )
  })

  it('is invalid when any of its bits is changed (property 2)', async () => {
    const bytes = decodeBase64Url(await encodeCursor(POSITION, BINDING, ring))!
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Uint8Array.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(await verifies(encodeBase64Url(changed), BINDING)).toBe(false)
    }
  })

  it('is invalid with padding, stray bits, or extra characters before or after it', async () => {
    const cursor = await encodeCursor(POSITION, BINDING, ring)
    // This cursor has 58 bytes, so four bits of its last character are unused, and that character is A, Q, g or w. The
    // next character in the alphabet decodes to the same bytes.
    const stray = cursor.slice(0, -1) + String.fromCharCode(cursor.charCodeAt(cursor.length - 1) + 1)
    for (const text of [
      `${cursor}=`,
      `${cursor}A`,
      ` ${cursor}`,
      `${cursor}\n`,
      cursor.slice(1),
      cursor.slice(0, -1),
      stray,
    ]) {
      expect(await verifies(text, BINDING)).toBe(false)
    }
  })

  it('is malformed when it is followed by more bytes', async () => {
    expect(readCursor(`${await encodeCursor(POSITION, BINDING, ring)}AAAA`)).toBeUndefined()
  })

  it.each(['', 'a', 'AA', '{}', 'evt_1', '😀', 'A'.repeat(80), 'A'.repeat(1_000_000)])(
    'cannot be read from the string %.20j',
    (text) => {
      expect(readCursor(text)).toBeUndefined()
    },
  )

  it('is parsed from any string without an error, and has a valid event id if well formed (property 3)', () => {
    const shaped = fc
      .uint8Array({ minLength: 58, maxLength: 58 })
      .map((bytes) => encodeBase64Url(Uint8Array.from([1, 2, ...bytes.subarray(0, 56)])))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), shaped), (text) => {
        const read = readCursor(text)
        if (read !== undefined) expect(isId('evt', read.place.id)).toBe(true)
      }),
    )
    expect(readCursor(fc.sample(shaped, 1)[0]!)).toBeDefined()
  })

  it('is valid only while the key that signed it is in the ring', async () => {
    const cursor = await encodeCursor(POSITION, BINDING, ring)
    expect(await verifies(cursor, BINDING, createKeyRing({ current: 'k2', keys: { k1, k2 } }))).toBe(true)
    expect(await verifies(cursor, BINDING, createKeyRing({ current: 'k2', keys: { k2 } }))).toBe(false)
    expect(await verifies(cursor, BINDING, createKeyRing({ current: 'k1', keys: { k1: k2 } }))).toBe(false)
  })

  it('is valid if its key id has the maximum length', async () => {
    const keyId = 'k'.repeat(32)
    const long = createKeyRing({ current: keyId, keys: { [keyId]: k1 } })
    expect(await verifies(await encodeCursor(POSITION, BINDING, long), BINDING, long)).toBe(true)
  })

  it.each([-1, 0.5, Number.NaN, 2 ** 48])('cannot be created for the time %s', async (occurredAt) => {
    await expect(encodeCursor({ ...POSITION, occurredAt }, BINDING, ring)).rejects.toThrow(RangeError)
  })
})
