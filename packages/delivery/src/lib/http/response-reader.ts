import { type BodyProgress, type ChunkedBody, createChunkedBody } from './chunked-body.ts'
import { createKeptText } from './kept-text.ts'
import { type ResponseHead, readResponseHead } from './response-head.ts'

/** Status line and headers, in bytes. */
const MAX_HEAD_BYTES = 16_384
/**
 * The most that a target may send for one request, in bytes. Head and kept body take 32 KiB; the rest leaves room for
 * informational responses, chunk extensions and trailers.
 */
const MAX_WIRE_BYTES = 131_072
const VERSION = 'HTTP/1.'
/** A line end other than CRLF. No valid head has one; without this check, the attempt would wait for its deadline. */
const STRAY_LINE_END = /(?:^|[^\r])\n|\r[^\n]/

/** The progress of a body, or `bad`: the bytes are not a response to this request. */
export type ReadProgress = BodyProgress | 'bad'

export interface ReadResponse {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly date: string | undefined
  readonly body: string
}

/** Reads the one response to a request. */
export interface ResponseReader {
  /** Takes the next bytes. Must not be called again after any result but `more`. */
  add(chunk: Buffer): ReadProgress
  /** Takes the end of the connection, which may complete a body. `more` means that the head is not complete. */
  end(): ReadProgress
  /** True once any byte has arrived. */
  begun(): boolean
  /** The response, once its head is complete. */
  response(): ReadResponse | undefined
  /** How long the connection may be kept after a whole response, in milliseconds; 0 means not at all. */
  keepMs(): number
}

/**
 * Reads one response (RFC 9112), strictly where that decides which request it answers and where it ends. One parser
 * serves all runtimes, because their own parsers differ. It reads at most 16 KiB of head, 16 KiB of body and 128 KiB in
 * all.
 */
export function createResponseReader(): ResponseReader {
  const kept = createKeptText()
  let head: ResponseHead | undefined
  let headText = ''
  let received = 0
  /** Bytes still to come, of a body whose length is known. */
  let left = 0
  let chunks: ChunkedBody | undefined
  let excess = 0

  const addBody = (bytes: Buffer): BodyProgress => {
    if (head?.body === 'until-close') return kept.add(bytes) ? 'more' : 'cut'
    if (chunks !== undefined) {
      const progress = chunks.add(bytes)
      excess = chunks.excess()
      return progress
    }
    const own = bytes.length > left ? bytes.subarray(0, left) : bytes
    left -= own.length
    excess = bytes.length - own.length
    if (own.length > 0 && !kept.add(own)) return 'cut'
    return left === 0 ? 'whole' : 'more'
  }

  const addHead = (chunk: Buffer): ReadProgress => {
    headText += chunk.toString('latin1')
    for (;;) {
      // Empty lines before a response are skipped (RFC 9112, section 2.2).
      while (headText.startsWith('\r\n')) headText = headText.slice(2)
      if (!VERSION.startsWith(headText.slice(0, VERSION.length)) && headText !== '\r') return 'bad'
      const end = headText.indexOf('\r\n\r\n')
      if ((end < 0 ? headText.length : end + 4) > MAX_HEAD_BYTES) return 'bad'
      if (end < 0) return STRAY_LINE_END.test(headText) ? 'bad' : 'more'
      const found = readResponseHead(headText.slice(0, end))
      if (found === undefined) return 'bad'
      headText = headText.slice(end + 4)
      if (found === 'interim') continue
      head = found
      if (typeof head.body === 'number') left = head.body
      if (head.body === 'chunked') chunks = createChunkedBody((bytes) => kept.add(bytes))
      return addBody(chunk.subarray(chunk.length - headText.length))
    }
  }

  return {
    add(chunk) {
      received += chunk.length
      const progress = head === undefined ? addHead(chunk) : addBody(chunk)
      if (progress !== 'more' || received <= MAX_WIRE_BYTES) return progress
      return head === undefined ? 'bad' : 'cut'
    },
    end() {
      if (head === undefined) return 'more'
      return head.body === 'until-close' ? 'whole' : 'cut'
    },
    begun: () => received > 0,
    response: () => head && { status: head.status, retryAfter: head.retryAfter, date: head.date, body: kept.read() },
    keepMs: () => (head === undefined || excess > 0 ? 0 : head.keepMs),
  }
}
