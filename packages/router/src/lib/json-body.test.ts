import { describe, expect, it } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../test/platform.ts'

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null

const withWriter = async () => {
  const { fetch, issue } = await createPlatform()
  const { token } = await issue(['webhooks.write'])
  return (body: Body, headers: Record<string, string> = { 'content-type': 'application/json' }): Promise<Response> => {
    const init = { method: 'POST', headers: { authorization: `Bearer ${token}`, ...headers }, body, duplex: 'half' }
    return fetch(new Request('https://api.example.com/v1/webhooks/subscriptions', init))
  }
}

/** A stream of chunks that counts the bytes that were read. The stream ends when the iterator ends. */
const streamOf = (
  chunks: Iterator<Uint8Array>,
): { stream: ReadableStream<Uint8Array>; taken: () => number; cancelled: () => boolean } => {
  let taken = 0
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = chunks.next()
        if (done) return controller.close()
        taken += value.byteLength
        controller.enqueue(value)
      },
      cancel() {
        cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, taken: () => taken, cancelled: () => cancelled }
}

const text = JSON.stringify(SUBSCRIPTION)
/** If this text is encoded as Latin-1, the bytes are not valid UTF-8. */
const latin1 = JSON.stringify({ ...SUBSCRIPTION, externalRef: 'für' })
const bytes = new TextEncoder().encode(text)

describe('the body limit of 64 KiB', () => {
  const padded = (length: number): string => text + ' '.repeat(length - text.length)

  it('allows a body of 65,536 bytes, and answers 413 to 65,537 bytes', async () => {
    const post = await withWriter()
    expect((await post(padded(65_536))).status).toBe(201)
    const response = await post(padded(65_537))
    expect(response.status).toBe(413)
    expect((await problemIn(response)).errorCode).toBe('PAYLOAD_TOO_LARGE')
  })

  it('counts bytes, not characters', async () => {
    const post = await withWriter()
    expect((await post(JSON.stringify('é'.repeat(40_000)))).status).toBe(413)
  })

  it.each([undefined, '0', '100', 'nonsense'])(
    'stops reading an endless body with content-length %s, without cutting the connection',
    async (length) => {
      const post = await withWriter()
      const endless = (function* () {
        for (;;) yield new Uint8Array(10_000).fill(32)
      })()
      const { stream, taken, cancelled } = streamOf(endless)
      const headers = {
        'content-type': 'application/json',
        ...(length === undefined ? {} : { 'content-length': length }),
      }
      expect((await post(stream, headers)).status).toBe(413)
      expect(taken()).toBe(70_000)
      expect(cancelled()).toBe(false)
    },
  )

  it('answers 413 when content-length is too large, and does not read the body', async () => {
    const post = await withWriter()
    const { stream, taken } = streamOf([bytes].values())
    const headers = { 'content-type': 'application/json', 'content-length': '65537' }
    expect((await post(stream, headers)).status).toBe(413)
    expect(taken()).toBe(0)
  })

  it('allows a body that arrives byte by byte, in chunks that split characters', async () => {
    const post = await withWriter()
    const whole = new TextEncoder().encode(JSON.stringify({ ...SUBSCRIPTION, externalRef: 'für 🎫' }))
    const { stream } = streamOf([...whole].map((byte) => Uint8Array.of(byte)).values())
    const response = await post(stream)
    expect(response.status).toBe(201)
    expect((await response.json()).externalRef).toBe('für 🎫')
  })
})

describe('the media type (section 1 of the /v1 contract)', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; version=1; charset=utf-8',
    'application/json;',
  ])('accepts %s', async (type) => {
    const post = await withWriter()
    expect((await post(text, { 'content-type': type })).status).toBe(201)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json+x',
    'application/problem+json',
    'application/json, application/json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'json',
    '*/*',
  ])('answers 415 to %s', async (type) => {
    const post = await withWriter()
    const response = await post(text, { 'content-type': type })
    expect(response.status).toBe(415)
    expect((await problemIn(response)).errorCode).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  it.each(['gzip', 'br', 'identity, gzip'])('answers 415 to the content coding %s', async (coding) => {
    const post = await withWriter()
    const response = await post(text, { 'content-type': 'application/json', 'content-encoding': coding })
    expect(response.status).toBe(415)
  })

  it('answers 415 without a content type', async () => {
    const post = await withWriter()
    expect((await post(bytes, {})).status).toBe(415)
  })
})

describe('an invalid body', () => {
  it.each<[string, Body]>([
    ['no body', null],
    ['an empty body', ''],
    ['white space', ' \r\n\t '],
    ['half an object', text.slice(0, -1)],
    ['two objects', `${text}{}`],
    ['single quotes', "{'a':1}"],
    ['NaN', 'NaN'],
    ['brackets that are never closed', '['.repeat(60_000)],
    ['invalid UTF-8 inside a string', Uint8Array.from(latin1, (character) => character.charCodeAt(0))],
    ['an incomplete character after an object', Uint8Array.of(...bytes, 0xc3)],
    ['UTF-16', Uint8Array.from(text, (_, index) => (index % 2 ? 0 : text.charCodeAt(index / 2)))],
    ['gzip', Uint8Array.of(0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0)],
  ])('is answered with 400 and an issue for the whole body: %s', async (_name, body) => {
    const post = await withWriter()
    const response = await post(body)
    expect(response.status).toBe(400)
    const { errorCode, issues, message } = await problemIn(response)
    expect(errorCode).toBe('VALIDATION_FAILED')
    expect(issues).toEqual([{ path: '', message }])
  })

  it('a body without any bytes is reported as empty', async () => {
    const post = await withWriter()
    expect((await problemIn(await post(''))).message).toContain('empty')
  })

  it('a key named __proto__ in the body cannot set fields', async () => {
    const post = await withWriter()
    expect((await post(`{"__proto__":${text}}`)).status).toBe(400)
  })

  it('a body that is cut off is answered with 400', async () => {
    const post = await withWriter()
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('the connection was reset'))
      },
    })
    expect((await post(stream)).status).toBe(400)
  })
})
