import { connect } from 'node:net'
import fc from 'fast-check'
import type { Answer } from './answers.ts'
import type { FuzzRequest } from './fuzz-request.ts'
import type { FuzzedPlatform } from './fuzzed-platform.ts'
import { headersOf } from './send.ts'

/** How a request is sent over the wire. */
export interface Wire {
  /** How the headers describe the length of the body. */
  readonly framing: 'right' | 'chunked' | 'short' | 'long' | 'none' | 'twice' | 'nonsense' | 'both'
  readonly version: string
  readonly host: string
  /** Replaces the method and the path. */
  readonly line: string | undefined
  /** Bytes sent before and after the request. */
  readonly before: string
  readonly after: string
  readonly breaks: string
}

const usual = <Value>(value: Value, ...others: Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 40, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

export const wires: fc.Arbitrary<Wire> = fc.record({
  framing: usual<Wire['framing']>(
    'right',
    'chunked',
    'chunked',
    'chunked',
    'short',
    'long',
    'none',
    'twice',
    'nonsense',
    'both',
  ),
  version: usual('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''),
  host: usual(
    'api.example.com',
    '',
    'a b',
    'x'.repeat(300),
    '[::1',
    'api.example.com:99999',
    'ä',
    '../..',
    'a@b',
    '%00',
  ),
  line: usual<string | undefined>(
    undefined,
    'GET /v1/me?a b',
    'GET *',
    'OPTIONS *',
    'GET http://[/v1/me',
    'GET //',
    'GET /\0',
    'CONNECT a:1',
    'TRACE /v1/me',
    '\u00e9 /v1/me',
    'GET',
  ),
  before: usual('', '\r\n', '\r\n\r\n', '\0', '\x16\x03\x01'),
  after: usual('', 'GET /v1/me HTTP/1.1\r\n\r\n', '\r\n', 'x'.repeat(70_000)),
  breaks: usual('\r\n', '\n', '\r'),
})

export interface WireBytes {
  readonly bytes: Buffer
  /** Whether the wire leaves the request unchanged. */
  readonly intact: boolean
  /** Whether the server may be waiting for more bytes, in which case the client must close its side. */
  readonly cut: boolean
}

export function toBytes(platform: FuzzedPlatform, request: FuzzRequest, wire: Wire): WireBytes {
  const { method, path, query, body } = request
  const { framing, version, host, line, before, after, breaks } = wire
  const target = `${path}${query === '' ? '' : `?${query}`}`
  const payload = Buffer.from(body?.bytes ?? '')
  const length = framing === 'short' ? payload.length >> 1 : framing === 'long' ? payload.length + 9 : payload.length
  const head = [`${line ?? `${method} ${target}`} ${version}`, `host: ${host}`, 'connection: close']
  for (const [name, value] of headersOf(platform, request)) head.push(`${name}: ${value}`)
  const chunked = framing === 'chunked' || framing === 'both'
  if (body !== undefined) {
    if (chunked) head.push('transfer-encoding: chunked')
    if (framing === 'nonsense') head.push('content-length: -1e3')
    else if (framing !== 'none' && framing !== 'chunked') head.push(`content-length: ${length}`)
    if (framing === 'twice') head.push(`content-length: ${length + 1}`)
  }
  const text = `${before}${head.join(breaks)}${breaks}${breaks}`
  const sent =
    chunked && payload.length > 0
      ? Buffer.concat([Buffer.from(`${payload.length.toString(16)}\r\n`), payload, Buffer.from('\r\n0\r\n\r\n')])
      : payload
  const wireBody = body === undefined ? Buffer.alloc(0) : sent
  return {
    bytes: Buffer.concat([Buffer.from(text, 'latin1'), wireBody, Buffer.from(after, 'latin1')]),
    intact:
      line === undefined &&
      version === 'HTTP/1.1' &&
      host === 'api.example.com' &&
      before === '' &&
      after === '' &&
      breaks === '\r\n' &&
      (body === undefined || framing === 'right' || (framing === 'chunked' && payload.length > 0)),
    cut:
      (body !== undefined && framing === 'long') ||
      (body !== undefined && chunked && payload.length === 0) ||
      line !== undefined ||
      version === '' ||
      before !== '' ||
      breaks !== '\r\n',
  }
}

/** How long a server may take to answer, in milliseconds, before the request counts as hanging. */
const LIMIT_MS = 20_000

/** Sends bytes and returns the first response; undefined if the connection was closed without one. */
export function exchange(
  port: number,
  { bytes, cut }: WireBytes,
): Promise<{ answer: Answer | undefined; all: string }> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    const limit = setTimeout(() => {
      socket.destroy()
      reject(new Error('no end of the answer'))
    }, LIMIT_MS)
    // After a request that is cut off, the client must close its side, or the server waits for the rest. After any
    // other request it must not, because Node sends no response to a client that has closed its side.
    socket.on('connect', () => (cut ? socket.end(bytes) : socket.write(bytes)))
    socket.on('data', (chunk) => received.push(chunk))
    // The server may close the connection while the client is still sending. The response counts if it has arrived by
    // then.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(limit)
      const all = Buffer.concat(received)
      resolve({ answer: parse(all), all: all.toString('latin1') })
    })
  })
}

function parse(all: Buffer): Answer | undefined {
  const end = all.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [line = '', ...lines] = all.subarray(0, end).toString('latin1').split('\r\n')
  const headers = new Headers(
    lines.map((each): [string, string] => {
      const colon = each.indexOf(':')
      return [each.slice(0, colon), each.slice(colon + 1).trim()]
    }),
  )
  const rest = all.subarray(end + 4)
  const length = headers.get('content-length')
  const body =
    headers.get('transfer-encoding') === 'chunked'
      ? unchunk(rest)
      : rest.subarray(0, length === null ? undefined : Number(length))
  return { status: Number(line.split(' ')[1]), headers, body: body.toString('utf8') }
}

function unchunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = line === -1 ? 0 : Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    if (!(size > 0)) return Buffer.concat(parts)
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
