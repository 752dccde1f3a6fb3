import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createResponseReader, type ReadResponse } from './response-reader.ts'

interface Read {
  readonly progress: string
  readonly response: ReadResponse | undefined
  readonly kept: boolean
}

/** Reads bytes that arrive in these pieces. */
function read(...pieces: readonly (string | Buffer)[]): Read {
  const reader = createResponseReader()
  let progress = 'more'
  for (const piece of pieces) {
    if (progress !== 'more') break
    progress = reader.add(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
  }
  return { progress, response: reader.response(), kept: progress === 'whole' && reader.keepMs() > 0 }
}

const START = 'HTTP/1.1 200 OK\r\n'
const chunked = (body: string): string => `${START}transfer-encoding: chunked\r\n\r\n${body}`

describe('the body of a response', () => {
  it.each([
    ['by its length', `${START}content-length: 5\r\n\r\nhello`],
    ['by its last chunk', chunked('2\r\nhe\r\n3;x="y"\r\nllo\r\n0\r\n\r\n')],
    ['by its last chunk, after trailers', chunked('5\r\nhello\r\n0\r\na: b\r\nc: d\r\n\r\n')],
  ])('ends %s', (_how, bytes) => {
    expect(read(bytes)).toMatchObject({ progress: 'whole', response: { status: 200, body: 'hello' }, kept: true })
  })

  it('ends with the connection only if nothing else delimits it', () => {
    const reader = createResponseReader()
    expect(reader.add(Buffer.from(`${START}\r\nhello`))).toBe('more')
    expect([reader.end(), reader.response()?.body]).toEqual(['whole', 'hello'])
    const short = createResponseReader()
    short.add(Buffer.from(`${START}content-length: 6\r\n\r\nhello`))
    expect([short.end(), short.response()?.body]).toEqual(['cut', 'hello'])
  })

  it('is empty for a 204 and a 304, whatever length their headers announce', () => {
    for (const status of [204, 304])
      expect(read(`HTTP/1.1 ${status} X\r\ncontent-length: 9\r\n\r\n`)).toMatchObject({ progress: 'whole', kept: true })
  })
})

it.each([
  ['bytes follow the response', `${START}content-length: 2\r\n\r\nokH`],
  ['bytes follow the last chunk', chunked('0\r\n\r\nH')],
  ['the response is HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
])('does not allow another request on the connection when %s', (_what, bytes) => {
  expect(read(bytes)).toMatchObject({ progress: 'whole', kept: false })
})

// Properties: 1. the pieces in which bytes arrive make no difference; 2. no bytes make the reader throw, or keep more
// than the limit; 3. a chunked body is decoded to the original body.
describe('a response', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 })
  const cut = (bytes: Buffer, lengths: readonly number[]): Buffer[] => {
    const pieces: Buffer[] = []
    let at = 0
    for (const length of lengths) {
      pieces.push(bytes.subarray(at, at + length))
      at += length
    }
    return [...pieces, bytes.subarray(at)].filter(({ length }) => length > 0)
  }
  const part = fc.constantFrom(
    ...[START, 'HTTP/1.1 103 X\r\n', '\r\n', 'content-length: 3\r\n', 'transfer-encoding: chunked\r\n', 'a: b\r\n'],
    ...['date: x\r\n', '3\r\nabc\r\n', '0\r\n', 'abc', '\r', '\n', ' ', '\0', 'HTTP/1.', 'connection: close\r\n'],
  )

  it('is read in the same way whether it arrives in one piece or in many', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), sizes, (parts, lengths) => {
        const bytes = Buffer.from(`${parts.join('')}`, 'latin1')
        fc.pre(bytes.length > 0)
        // Only the number of bytes after the end of the response may depend on the pieces.
        const { progress, response } = read(bytes)
        expect(read(...cut(bytes, lengths))).toMatchObject({ progress, response })
      }),
      { numRuns: 2_000 },
    )
  })

  it('never makes the reader throw or keep more than 16 KiB, whatever its bytes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', START, `${START}\r\n`, chunked('')),
        fc.uint8Array({ maxLength: 400 }),
        (start, junk) => {
          const { response } = read(start, Buffer.from(junk), Buffer.alloc(20_000, 0x61))
          expect((response?.body ?? '').length).toBeLessThanOrEqual(16_384)
        },
      ),
    )
  })

  it('with a chunked body is decoded to the original body, however it is split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), { maxLength: 20 }),
        sizes,
        (parts, lengths) => {
          const body = parts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')
          const pieces = cut(Buffer.from(chunked(`${body}0\r\n\r\n`)), lengths)
          expect(read(...pieces)).toMatchObject({ progress: 'whole', response: { body: parts.join('') }, kept: true })
        },
      ),
    )
  })
})
