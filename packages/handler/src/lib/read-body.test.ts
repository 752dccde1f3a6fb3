import { describe, expect, it } from 'vitest'
import { declaresMoreThan, readBody } from './read-body.ts'

const post = (body: BodyInit | null, headers: Record<string, string> = {}): Request =>
  new Request('https://example.com/', { method: 'POST', headers, body, ...{ duplex: 'half' } })

/**
 * Creates a request whose body consists of these chunks. Reading past the last chunk ends the body, or fails if `fails`
 * is set.
 */
function streamed(chunks: readonly string[], { fails = false }: { fails?: boolean } = {}) {
  const rest = chunks.map((chunk) => new TextEncoder().encode(chunk))
  const seen = { cancelled: false, left: () => rest.length }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = rest.shift()
        if (chunk !== undefined) controller.enqueue(chunk)
        else if (fails) controller.error(new Error('the connection was reset'))
        else controller.close()
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { request: post(stream), seen }
}

const textOf = (body: Uint8Array | string): string => (typeof body === 'string' ? body : new TextDecoder().decode(body))

describe('readBody', () => {
  it('returns no bytes for a request without a body', async () => {
    expect(await readBody(post(null), 10)).toEqual(new Uint8Array())
  })

  it('joins chunks even if they split a character', async () => {
    const bytes = [...new TextEncoder().encode('für 🎫')].map((byte) => Uint8Array.of(byte))
    const body = new ReadableStream({
      pull(controller) {
        const byte = bytes.shift()
        if (byte === undefined) controller.close()
        else controller.enqueue(byte)
      },
    })
    expect(textOf(await readBody(post(body), 10))).toBe('für 🎫')
  })

  it('accepts a body of exactly the limit, and refuses a body that is one byte longer', async () => {
    expect(textOf(await readBody(post('a'.repeat(10)), 10))).toBe('a'.repeat(10))
    expect(await readBody(post('a'.repeat(11)), 10)).toBe('too-large')
  })

  it('counts bytes, not characters', async () => {
    expect(await readBody(post('é'.repeat(6)), 10)).toBe('too-large')
  })

  it('stops at the chunk that exceeds the limit, and does not cancel the stream', async () => {
    const { request, seen } = streamed(['12345', '67890', 'a', 'b', 'c'])
    expect(await readBody(request, 10)).toBe('too-large')
    expect([seen.left(), seen.cancelled]).toEqual([2, false])
  })

  it('distinguishes an incomplete body from a complete one', async () => {
    expect(await readBody(streamed(['12345'], { fails: true }).request, 10)).toBe('broken-off')
    expect(textOf(await readBody(streamed(['12345']).request, 10))).toBe('12345')
  })

  it.each([
    ['whole', streamed(['12345'])],
    ['too large', streamed(['12345678901'])],
    ['broken off', streamed([], { fails: true })],
  ])('releases the stream of a body that is %s', async (_how, { request }) => {
    await readBody(request, 10)
    expect(request.body?.locked).toBe(false)
  })
})

describe('content-length', () => {
  it.each(['11', '1e3', '99999999999999999999'])('of %s declares more than 10 bytes', (length) => {
    expect(declaresMoreThan(10, post('', { 'content-length': length }))).toBe(true)
  })

  it.each(['10', '0', '-11', 'nonsense', '11, 11', ''])('of %j does not declare more than 10 bytes', (length) => {
    expect(declaresMoreThan(10, post('', { 'content-length': length }))).toBe(false)
  })

  it('declares no size when it is missing', () => {
    expect(declaresMoreThan(10, post('a'.repeat(11)))).toBe(false)
  })
})
