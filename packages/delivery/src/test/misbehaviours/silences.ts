import { drips, type Misbehaviour, OK, says } from './misbehaviour.ts'

const hangs = true
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'
const FAILING = 'HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\n'
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const UNTIL_CLOSE = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'
const silent = (): void => undefined

/** Targets that fall silent, or drip bytes without end, at each stage of an exchange. */
export const SILENCES: readonly Misbehaviour[] = [
  { name: 'is silent once connected', from: 'tcp', hangs, act: silent, expected: ['tls'] },
  {
    name: 'is silent after our hello',
    from: 'tcp',
    hangs,
    act: ({ socket }) => void socket.resume(),
    expected: ['tls'],
  },
  {
    name: 'is silent in the middle of its hello',
    from: 'tcp',
    hangs,
    act: says('\x16\x03\x03\x00\x7a\x02\x00'),
    expected: ['tls'],
  },
  {
    name: 'drips its hello',
    from: 'tcp',
    hangs,
    act: drips('\x16\x03\x03\x3f\xff\x02\x00\x3f\xfb\x03\x03', '\x00'),
    expected: ['tls'],
  },
  {
    name: 'reads nothing once TLS is established',
    from: 'tls',
    hangs,
    act: ({ socket }) => void socket.pause(),
    expected: ['timeout'],
  },
  { name: 'is silent after the request', hangs, act: silent, expected: ['timeout'] },
  ...[
    'H',
    'HTTP/1.1',
    'HTTP/1.1 2',
    'HTTP/1.1 200',
    'HTTP/1.1 200 OK',
    'HTTP/1.1 200 OK\r',
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 200 OK\r\ncont',
    'HTTP/1.1 200 OK\r\na: b',
    'HTTP/1.1 200 OK\r\na: b\r\n',
    'HTTP/1.1 200 OK\r\na: b\r\n\r',
  ].map(
    (bytes): Misbehaviour => ({
      name: `is silent after ${JSON.stringify(bytes)}`,
      hangs,
      act: says(bytes),
      expected: ['timeout'],
    }),
  ),
  { name: 'is silent after a 100', hangs, act: says('HTTP/1.1 100 Continue\r\n\r\n'), expected: ['timeout'] },
  {
    name: 'is silent after a 103',
    hangs,
    act: says('HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'),
    expected: ['timeout'],
  },
  ...(
    [
      ['the headers', HEAD, 200, ''],
      ['the headers of a failure', FAILING, 500, ''],
      ['half a body', `${HEAD}half`, 200, 'half'],
      ['half the body of a failure', `${FAILING}half`, 500, 'half'],
      ['the headers of chunks', CHUNKED, 200, ''],
      ['half a chunk size', `${CHUNKED}1`, 200, ''],
      ['half a chunk', `${CHUNKED}8\r\nhalf`, 200, 'half'],
      ['a chunk', `${CHUNKED}4\r\nhalf\r\n`, 200, 'half'],
      ['the last chunk', `${CHUNKED}4\r\nhalf\r\n0\r\n`, 200, 'half'],
      ['half a trailer', `${CHUNKED}4\r\nhalf\r\n0\r\na: `, 200, 'half'],
      ['the headers of a close-delimited body', UNTIL_CLOSE, 200, ''],
      ['half of a close-delimited body', `${UNTIL_CLOSE}half`, 200, 'half'],
    ] as const
  ).map(
    ([where, bytes, status, body]): Misbehaviour => ({
      name: `is silent after ${where}`,
      hangs,
      act: says(bytes),
      expected: [{ status, body, truncated: true }],
    }),
  ),
  { name: 'drips empty lines', hangs, act: drips('', '\r\n'), expected: ['timeout'] },
  { name: 'drips its reason phrase', hangs, act: drips('HTTP/1.1 200 ', 'x'), expected: ['timeout'] },
  { name: 'drips a header name', hangs, act: drips('HTTP/1.1 200 OK\r\n', 'x'), expected: ['timeout'] },
  { name: 'drips a header value', hangs, act: drips('HTTP/1.1 200 OK\r\na: ', 'x'), expected: ['timeout'] },
  { name: 'drips headers', hangs, act: drips('HTTP/1.1 200 OK\r\n', 'a: b\r\n'), expected: ['timeout'] },
  { name: 'drips 100s', hangs, act: drips('', 'HTTP/1.1 100 Continue\r\n\r\n'), expected: ['timeout'] },
  { name: 'drips 102s', hangs, act: drips('', 'HTTP/1.1 102 Processing\r\n\r\n'), expected: ['timeout'] },
  { name: 'drips 103s', hangs, act: drips('', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'), expected: ['timeout'] },
  {
    name: 'drips its body',
    hangs,
    act: drips('HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n', '.'),
    expected: [{ status: 200, truncated: true }],
  },
  {
    name: 'drips the body of a 502',
    hangs,
    act: drips('HTTP/1.1 502 No\r\ncontent-length: 99999\r\n\r\n', '.'),
    expected: [{ status: 502, truncated: true }],
  },
  {
    name: 'drips a close-delimited body',
    hangs,
    act: drips(UNTIL_CLOSE, '.'),
    expected: [{ status: 200, truncated: true }],
  },
  { name: 'drips chunks', hangs, act: drips(CHUNKED, '1\r\n.\r\n'), expected: [{ status: 200, truncated: true }] },
  {
    name: 'drips the zeros of a chunk size',
    hangs,
    act: drips(CHUNKED, '0'),
    expected: [{ status: 200, truncated: true, body: '' }],
  },
  {
    name: 'drips a chunk extension',
    hangs,
    act: drips(`${CHUNKED}1;`, 'x'),
    expected: [{ status: 200, truncated: true, body: '' }],
  },
  {
    name: 'drips trailers',
    hangs,
    act: drips(`${CHUNKED}0\r\n`, 'a: b\r\n'),
    expected: [{ status: 200, truncated: true, body: '' }],
  },
  {
    name: 'answers one byte at a time',
    act: ({ socket }) => {
      const bytes = [...OK]
      const next = (): void => {
        const byte = bytes.shift()
        if (byte !== undefined) socket.write(byte, () => setImmediate(next))
      }
      next()
    },
    expected: [{ status: 200, body: 'ok', truncated: false }],
  },
]
