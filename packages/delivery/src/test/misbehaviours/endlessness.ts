import { gzipSync } from 'node:zlib'
import { floods, type Misbehaviour, says } from './misbehaviour.ts'

const START = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${START}transfer-encoding: chunked\r\n\r\n`
/** A gzip file that decompresses to a thousand times its size. */
const BOMB = gzipSync(Buffer.alloc(4_194_304)).toString('latin1')
const KIB_16 = 16_384

/** Endless answers. An answer counts as a response only once its status and headers are complete. */
export const ENDLESSNESS: readonly Misbehaviour[] = [
  { name: 'sends endless empty lines', act: floods('', '\r\n'), expected: ['protocol'] },
  { name: 'sends an endless version', act: floods('HTTP/1.', '1'), expected: ['headers'] },
  { name: 'sends an endless status', act: floods('HTTP/1.1 2', '0'), expected: ['headers'] },
  { name: 'sends endless spaces before a status', act: floods('HTTP/1.1', ' '), expected: ['headers'] },
  { name: 'sends an endless reason phrase', act: floods('HTTP/1.1 200 ', 'x'), expected: ['headers'] },
  { name: 'sends an endless header name', act: floods(START, 'x'), expected: ['headers'] },
  { name: 'sends an endless header value', act: floods(`${START}a: `, 'x'), expected: ['headers'] },
  { name: 'sends endless spaces before a header value', act: floods(`${START}a:`, ' '), expected: ['headers'] },
  { name: 'sends endless headers', act: floods(START, 'a: b\r\n'), expected: ['headers'] },
  {
    name: 'sends endless different headers',
    act: floods(START, Array.from({ length: 999 }, (_, n) => `a${n}: b\r\n`).join('')),
    expected: ['headers'],
  },
  { name: 'sends endless cookies', act: floods(START, 'set-cookie: a=b\r\n'), expected: ['headers'] },
  { name: 'sends an endless folded header', act: floods(`${START}a: b\r\n`, ' b\r\n'), expected: ['headers'] },
  { name: 'sends endless 100s', act: floods('', 'HTTP/1.1 100 Continue\r\n\r\n'), expected: ['protocol'] },
  { name: 'sends endless 102s', act: floods('', 'HTTP/1.1 102 Processing\r\n\r\n'), expected: ['protocol'] },
  {
    name: 'sends endless 103s',
    act: floods('', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'),
    expected: ['protocol'],
  },
  {
    name: 'sends endless 103s of 8 KiB',
    act: floods('', `HTTP/1.1 103 Early Hints\r\nlink: ${'a'.repeat(8_192)}\r\n\r\n`),
    expected: ['protocol'],
  },
  { name: 'sends endless 199s', act: floods('', 'HTTP/1.1 199 Strange\r\n\r\n'), expected: ['protocol'] },
  { name: 'sends one header of 64 KiB', act: says(`${START}a: ${'x'.repeat(65_536)}\r\n\r\n`), expected: ['headers'] },
  {
    name: 'sends 5,000 headers',
    act: says(`${START}${'header: value\r\n'.repeat(5_000)}\r\n`),
    expected: ['headers'],
  },
  {
    name: 'sends 2,000 headers of 12 KB in all',
    act: says(`${START}${'a: b\r\n'.repeat(2_000)}content-length: 2\r\n\r\nok`),
    expected: [{ status: 200, body: 'ok' }],
  },
  {
    name: 'sends an endless body',
    act: floods(`${START}content-length: 999999999999\r\n\r\n`, 'x'),
    expected: [{ status: 200, truncated: true, body: 'x'.repeat(KIB_16) }],
  },
  {
    name: 'sends an endless body after the status 500',
    act: floods('HTTP/1.1 500 No\r\ncontent-length: 999999999999\r\n\r\n', 'x'),
    expected: [{ status: 500, truncated: true, body: 'x'.repeat(KIB_16) }],
  },
  {
    name: 'sends an endless close-delimited body',
    act: floods(`${START}connection: close\r\n\r\n`, 'x'),
    expected: [{ status: 200, truncated: true, body: 'x'.repeat(KIB_16) }],
  },
  {
    name: 'sends endless chunks',
    act: floods(CHUNKED, '8\r\nxxxxxxxx\r\n'),
    expected: [{ status: 200, truncated: true }],
  },
  {
    name: 'sends endless chunks of one byte',
    act: floods(CHUNKED, '1\r\nx\r\n'),
    expected: [{ status: 200, truncated: true }],
  },
  {
    name: 'sends one endless chunk',
    act: floods(`${CHUNKED}ffffffff\r\n`, 'x'),
    expected: [{ status: 200, truncated: true, body: 'x'.repeat(KIB_16) }],
  },
  {
    name: 'sends a chunk size of endless zeros',
    act: floods(CHUNKED, '0'),
    expected: [{ status: 200, truncated: true, body: '' }],
  },
  {
    name: 'sends an endless chunk extension',
    act: floods(`${CHUNKED}1;`, 'x'),
    expected: [{ status: 200, truncated: true, body: '' }],
  },
  {
    name: 'sends endless chunks of one byte, each with a long extension',
    act: floods(CHUNKED, `1;${'e'.repeat(999)}\r\nx\r\n`),
    // `body` is not checked. Its length depends on how many bytes are read at once, because the size limit is checked
    // after each read.
    expected: [{ status: 200, truncated: true }],
  },
  {
    name: 'sends endless trailers',
    act: floods(`${CHUNKED}2\r\nok\r\n0\r\n`, 'a: b\r\n'),
    expected: [{ status: 200, truncated: true }],
  },
  {
    name: 'sends one endless trailer',
    act: floods(`${CHUNKED}2\r\nok\r\n0\r\na: `, 'b'),
    expected: [{ status: 200, truncated: true }],
  },
  {
    name: 'sends endless responses',
    act: floods('', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    expected: [{ status: 200, body: 'ok' }],
  },
  ...(['gzip', 'deflate', 'br', 'zstd', 'compress', 'gzip, gzip'] as const).map(
    (encoding): Misbehaviour => ({
      name: `sends a decompression bomb as ${encoding}`,
      act: says(`${START}content-encoding: ${encoding}\r\ncontent-length: ${BOMB.length}\r\n\r\n${BOMB}`),
      // `gzip, gzip` is kept as `compressed (gzip)`.
      expected: [{ status: 200, truncated: false, body: `compressed (${encoding.split(',', 1)[0]})` }],
      never: /accept-encoding/i,
    }),
  ),
]
