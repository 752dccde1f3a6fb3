/**
 * The state of a body: more bytes are expected, it is complete, or it was cut off because it is too long or malformed.
 */
export type BodyProgress = 'more' | 'whole' | 'cut'

export interface ChunkedBody {
  add(bytes: Buffer): BodyProgress
  /** How many of the bytes passed to the last `add` come after the end of the body. */
  excess(): number
}

const SIZE_LINE = /^([\da-f]{1,12})(?:;[\t\x20-\x7e\x80-\xff]*)?$/i
const TRAILER_LINE = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/

/**
 * Decodes a chunked body (RFC 9112, section 7.1) and ignores its extensions and trailers. Passes the data to `keep`,
 * which returns false once it needs no more.
 */
export function createChunkedBody(keep: (bytes: Buffer) => boolean): ChunkedBody {
  let expected: 'size' | 'data' | 'end of data' | 'trailer' = 'size'
  /** How many bytes of the chunk are still to arrive. */
  let left = 0
  /** The start of a line whose end has not arrived yet. */
  let begun = ''
  let excess = 0

  /** Reads a complete line and sets what is expected after it. */
  const readLine = (line: string): BodyProgress => {
    if (expected === 'size') {
      const size = SIZE_LINE.exec(line)?.[1]
      if (size === undefined) return 'cut'
      left = Number.parseInt(size, 16)
      expected = left > 0 ? 'data' : 'trailer'
      return 'more'
    }
    if (expected === 'end of data') {
      expected = 'size'
      return line === '' ? 'more' : 'cut'
    }
    if (line === '') return 'whole'
    return TRAILER_LINE.test(line) ? 'more' : 'cut'
  }

  return {
    add(bytes) {
      let at = 0
      while (at < bytes.length) {
        if (expected === 'data') {
          const data = bytes.subarray(at, at + left)
          if (!keep(data)) return 'cut'
          at += data.length
          left -= data.length
          if (left === 0) expected = 'end of data'
          continue
        }
        const lineEnd = bytes.indexOf(0x0a, at)
        if (lineEnd < 0) {
          begun += bytes.toString('latin1', at)
          return 'more'
        }
        const line = begun + bytes.toString('latin1', at, lineEnd)
        begun = ''
        at = lineEnd + 1
        const progress = line.endsWith('\r') ? readLine(line.slice(0, -1)) : 'cut'
        excess = bytes.length - at
        if (progress !== 'more') return progress
      }
      return 'more'
    },
    excess: () => excess,
  }
}
