import { type BodyProgress, type ChunkedBody, createChunkedBody } from './chunked-body.ts'
import { createKeptText } from './kept-text.ts'
import { type ResponseHead, readResponseHead } from './response-head.ts'

/** The maximum size of the status line and headers, in bytes. */
const MAX_HEAD_BYTES = 16_384
/**
 * The maximum number of bytes that a target may send in response to one request. The head and the part of the body that
 * is kept take at most 32 KiB; the remaining 96 KiB allow for informational responses, chunk extensions and trailers.
 */
const MAX_WIRE_BYTES = 131_072
const VERSION = 'HTTP/1.'
/**
 * A line end other than CRLF. A valid head never contains one. Without this check, the attempt would wait for the end
 * of such a head until its deadline.
 */
const STRAY_LINE_END = /(?:^|[^\r])\n|\r[^\n]/

/** The state of the body, or the `AttemptReason` if the bytes are not a response to this request. */
export type ReadProgress = BodyProgress | 'protocol' | 'headers'

export interface ReadResponse {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly date: string | undefined
  readonly body: string
}

/** Reads the one response to a request. */
export interface ResponseReader {
  /** Adds the next bytes. Must not be called again after a result other than `more`. */
  add(chunk: Buffer): ReadProgress
  /**
   * Must be called when the connection has ended, because the end of the connection can also be the end of the body.
   * Returns `more` if the head is incomplete.
   */
  end(): ReadProgress
  /** True once any byte has arrived. */
  begun(): boolean
  /** The response, once its head is complete. */
  response(): ReadResponse | undefined
  /** How long the connection can be kept after a complete response, in milliseconds; 0 if it cannot be kept. */
  keepMs(): number
}

/**
 * Reads one response (RFC 9112). It is strict, so that there is no doubt where a response ends and which request it
 * belongs to. All runtimes use this parser, because their own parsers differ. It reads at most 16 KiB of head, 16 KiB
 * of body and 128 KiB in all.
 */
export function createResponseReader(): ResponseReader {
  const kept = createKeptText()
  let head: ResponseHead | undefined
  let headText = ''
  let received = 0
  /** How many bytes are still to arrive, if the body's length is known. */
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
      if (!VERSION.startsWith(headText.slice(0, VERSION.length)) && headText !== '\r') return 'protocol'
      const end = headText.indexOf('\r\n\r\n')
      const isLong = (end < 0 ? headText.length : end + 4) > MAX_HEAD_BYTES
      if (isLong || end < 0) {
        if (STRAY_LINE_END.test(headText.slice(0, MAX_HEAD_BYTES))) return 'protocol'
        return isLong ? 'headers' : 'more'
      }
      const found = readResponseHead(headText.slice(0, end))
      if (found === undefined) return 'protocol'
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
      return head === undefined ? 'protocol' : 'cut'
    },
    end() {
      if (head === undefined) return 'more'
      return head.body === 'until-close' ? 'whole' : 'cut'
    },
    begun: () => received > 0,
    response: () =>
      head && { status: head.status, retryAfter: head.retryAfter, date: head.date, body: kept.read(head.compression) },
    keepMs: () => (head === undefined || excess > 0 ? 0 : head.keepMs),
  }
}
