/** The meaning of a response's status line and headers. */
export interface ResponseHead {
  /** 200–599. */
  readonly status: number
  readonly retryAfter: string | undefined
  readonly date: string | undefined
  /** Where the body ends: after this many bytes, with its last chunk, or when the connection closes. */
  readonly body: number | 'chunked' | 'until-close'
  /** The coding that compresses the body, such as `gzip`. An unknown coding, such as `utf-8`, does not count. */
  readonly compression: string | undefined
  /** How long the target lets the connection be idle, in milliseconds; 0 if the connection must not be reused. */
  readonly keepMs: number
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
/** A valid header line. Folded lines, spaces before the colon and control characters do not match. */
const HEADER_LINE = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/
/** At most 15 digits, which suffice for any body and can be represented exactly as a number. */
const LENGTH = /^\d{1,15}$/
/** The codings that compress a body (RFC 9110, section 8.4.1; RFC 7932; RFC 8878). */
const COMPRESSION = /(?:^|[ \t,])(?:x-)?(br|compress|deflate|gzip|zstd)(?=[ \t,;]|$)/
/** Responses with these statuses have no body, whatever their headers say (RFC 9112, section 6.3). */
const BODILESS: readonly number[] = [204, 304]
/** How much earlier the worker closes an idle connection than the target would, in milliseconds. */
const KEEP_ALIVE_MARGIN_MS = 1_000

/**
 * Reads the head of a response (latin1, without its last empty line). Returns `'interim'` for a 1xx, after which
 * another head follows. Returns `undefined` for what cannot be the response to a POST: a `101`, a status over 599, a
 * malformed line or an invalid length. A length is also invalid if it occurs twice or accompanies a transfer coding.
 */
export function readResponseHead(text: string): ResponseHead | 'interim' | undefined {
  const [statusLine = '', ...headers] = text.split('\r\n')
  const [, minor, digits] = STATUS_LINE.exec(statusLine) ?? []
  if (digits === undefined || digits === '101') return undefined
  const status = Number(digits)
  const first = new Map<string, string>()
  let coding: string | undefined
  let compression: string | undefined
  let closes = minor === '0'
  for (const line of headers) {
    if (!HEADER_LINE.test(line)) return undefined
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    switch (name) {
      case 'content-length':
        if (first.has(name)) return undefined
        break
      case 'transfer-encoding':
        coding = trimBlanks(line, colon + 1).toLowerCase()
        compression ??= compressionIn(coding)
        continue
      case 'content-encoding':
        compression ??= compressionIn(trimBlanks(line, colon + 1).toLowerCase())
        continue
      case 'connection':
        closes ||= trimBlanks(line, colon + 1)
          .toLowerCase()
          .split(/[ \t]*,[ \t]*/)
          .includes('close')
        continue
      case 'retry-after':
      case 'date':
      case 'keep-alive':
        if (first.has(name)) continue
        break
      default:
        continue
    }
    first.set(name, trimBlanks(line, colon + 1))
  }
  if (status < 200) return 'interim'
  const length = first.get('content-length')
  if (length !== undefined && (coding !== undefined || !LENGTH.test(length))) return undefined
  const body = BODILESS.includes(status) ? 0 : bodyOf(length, coding)
  return {
    status,
    retryAfter: first.get('retry-after'),
    date: first.get('date'),
    body,
    compression,
    keepMs: closes || body === 'until-close' ? 0 : keepAliveMs(first.get('keep-alive')),
  }
}

function compressionIn(codings: string): string | undefined {
  return COMPRESSION.exec(codings)?.[1]
}

function bodyOf(length: string | undefined, coding: string | undefined): ResponseHead['body'] {
  if (coding !== undefined) return /(?:^|[ \t,])chunked$/.test(coding) ? 'chunked' : 'until-close'
  return length === undefined ? 'until-close' : Number(length)
}

function keepAliveMs(hint: string | undefined): number {
  const seconds = /(?:^|[ \t,;])timeout=(\d+)/i.exec(hint ?? '')?.[1]
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Number(seconds) * 1000 - KEEP_ALIVE_MARGIN_MS)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/**
 * The rest of a line from index `from`, without surrounding blanks. `trim` would also remove other characters, and a
 * regular expression would take quadratic time.
 */
function trimBlanks(line: string, from: number): string {
  let start = from
  let end = line.length
  while (start < end && isBlank(line.charCodeAt(start))) start += 1
  while (start < end && isBlank(line.charCodeAt(end - 1))) end -= 1
  return line.slice(start, end)
}
