import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { generateSecret, signSync } from '../index.ts'
import { implementations, onWeb } from './implementations.ts'
import { vectors } from './vectors.ts'

const [first] = vectors
const bytes = new TextEncoder().encode(first.body)

describe.each(implementations)('sign ($name)', ({ sign }) => {
  it.each(vectors)('returns the known signature of $id', async ({ signature, ...message }) => {
    expect(await sign(message)).toBe(signature)
  })

  it.each([
    ['Uint8Array', bytes],
    ['Buffer', Buffer.from(bytes)],
    ['ArrayBuffer', bytes.buffer],
    ['view into a larger buffer', new Uint8Array([1, 2, ...bytes, 3]).subarray(2, -1)],
  ])('returns the same signature for a %s as for a string of the same text', async (_, body) => {
    expect(await sign({ ...first, body })).toBe(first.signature)
  })

  it('signs a string with characters outside ASCII as UTF-8 bytes', async () => {
    const body = '{"name":"Zoë 🎟 \ud800"}'
    expect(await sign({ ...first, body })).toBe(await sign({ ...first, body: new TextEncoder().encode(body) }))
  })

  it.each([0, 1, 8, 63, 64, 65, 1_000, 21_000, 21_845, 70_000, 300_000])(
    'returns the same signature as createHmac for a body of %i characters, given as text or as bytes',
    async (length) => {
      for (const bytesOfKey of [24, 32, 63, 64])
        for (const character of ['a', 'ë', '丏']) {
          const key = randomBytes(bytesOfKey)
          const body = character.repeat(length)
          const expected = createHmac('sha256', key)
            .update(`${first.id}.${first.timestamp}.`)
            .update(body)
            .digest('base64')
          const secret = key.toString('base64')
          expect(await sign({ ...first, body, secret })).toBe(`v1,${expected}`)
          expect(await sign({ ...first, body: Buffer.from(body), secret })).toBe(`v1,${expected}`)
        }
    },
  )

  it('returns one signature per secret during a rotation, in the same order and separated by spaces', async () => {
    const other = generateSecret()
    const both = await sign({ ...first, secret: [other, first.secret] })
    expect(both).toBe(`${await sign({ ...first, secret: other })} ${first.signature}`)
  })

  it.each(['', 'msg.1', 'msg 1', 'msg\r\nx-other: 1', 'mség'])('refuses the id %j', async (id) => {
    await expect(sign({ ...first, id })).rejects.toMatchObject({ code: 'ID_INVALID' })
  })

  it.each([-1, 1.5, Number.NaN, 1e21, 1614265330000])(
    'refuses the timestamp %s, which is not whole seconds',
    async (timestamp) => {
      await expect(sign({ ...first, timestamp })).rejects.toMatchObject({ code: 'TIMESTAMP_INVALID' })
    },
  )

  it('refuses a body that is not raw', async () => {
    // @ts-expect-error: an object is not a raw body
    await expect(sign({ ...first, body: { test: 1 } })).rejects.toMatchObject({ code: 'BODY_INVALID' })
  })

  it('refuses a short secret and an empty list of secrets', async () => {
    for (const secret of ['whsec_AAAA', []]) {
      await expect(sign({ ...first, secret })).rejects.toMatchObject({ code: 'SECRET_INVALID' })
    }
  })
})

describe('signSync', () => {
  it('is exported and signs', () => {
    expect(signSync(first)).toBe(first.signature)
  })

  it('throws SYNC_UNAVAILABLE without node:crypto, whatever the input', () => {
    expect(() => onWeb.signSync(first)).toThrow(expect.objectContaining({ code: 'SYNC_UNAVAILABLE' }))
    expect(() => onWeb.signSync({ ...first, secret: '' })).toThrow(
      expect.objectContaining({ code: 'SYNC_UNAVAILABLE' }),
    )
  })
})
