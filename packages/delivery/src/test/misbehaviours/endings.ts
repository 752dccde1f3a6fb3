import { type Expected, type Misbehaviour, OK, saysAndEnds, saysAndResets } from './misbehaviour.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'
const FAILING = 'HTTP/1.1 503 No\r\ncontent-length: 9\r\n\r\n'
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const UNTIL_CLOSE = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'

const AFTER_REQUEST: readonly (readonly [where: string, bytes: string, expected: Expected])[] = [
  ['the request', '', 'reset'],
  ['half a status line', 'HTTP/1.1 2', ['reset', 'protocol']],
  ['the status line', 'HTTP/1.1 200 OK\r\n', ['reset', 'protocol']],
  ['half a header', 'HTTP/1.1 200 OK\r\ncontent-le', ['reset', 'protocol']],
  ['a 100', 'HTTP/1.1 100 Continue\r\n\r\n', ['reset', 'protocol']],
  ['the headers', HEAD, { status: 200, truncated: true, body: '' }],
  ['the headers of a failure', FAILING, { status: 503, truncated: true, body: '' }],
  ['half a body', `${HEAD}half`, { status: 200, truncated: true }],
  ['half the body of a failure', `${FAILING}half`, { status: 503, truncated: true }],
  ['the headers of chunks', CHUNKED, { status: 200, truncated: true, body: '' }],
  ['half a chunk size', `${CHUNKED}8`, { status: 200, truncated: true, body: '' }],
  ['half a chunk', `${CHUNKED}8\r\nhalf`, { status: 200, truncated: true }],
  ['all chunks but the last', `${CHUNKED}4\r\nhalf\r\n`, { status: 200, truncated: true }],
  ['a 204', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, truncated: false }],
  ['a whole answer', OK, { status: 200, truncated: false, body: 'ok' }],
]

/** Targets that close or reset the connection, at each stage of an exchange. */
export const ENDINGS: readonly Misbehaviour[] = [
  {
    name: 'resets once connected',
    from: 'tcp',
    act: ({ reset }) => reset(),
    expected: [
      ['connect', 'tls'],
      ['connect', 'tls'],
      ['connect', 'tls'],
      ['connect', 'tls'],
      ['connect', 'tls'],
    ],
  },
  { name: 'ends once connected', from: 'tcp', act: ({ socket }) => void socket.end(), expected: ['tls'] },
  {
    name: 'resets after our hello',
    from: 'tcp',
    act: ({ socket, reset }) => void socket.once('data', reset),
    expected: [['connect', 'tls']],
  },
  {
    name: 'ends after our hello',
    from: 'tcp',
    act: ({ socket }) => void socket.once('data', () => socket.end()),
    expected: ['tls'],
  },
  {
    name: 'resets in the middle of its hello',
    from: 'tcp',
    act: saysAndResets('\x16\x03\x03\x00\x7a\x02\x00'),
    expected: [['connect', 'tls']],
  },
  { name: 'resets once TLS is established', from: 'tls', act: ({ reset }) => reset(), expected: [['tls', 'reset']] },
  {
    name: 'ends once TLS is established',
    from: 'tls',
    act: ({ socket }) => void socket.end(),
    expected: [['tls', 'reset', 'protocol']],
  },
  ...AFTER_REQUEST.flatMap(([where, bytes, expected]): Misbehaviour[] => [
    { name: `resets after ${where}`, act: saysAndResets(bytes), expected: [expected] },
    { name: `ends after ${where}`, act: saysAndEnds(bytes), expected: [expected] },
  ]),
  {
    name: 'closes the connection after a close-delimited body',
    act: saysAndEnds(`${UNTIL_CLOSE}whole`),
    expected: [{ status: 200, truncated: false, body: 'whole' }],
  },
  {
    name: 'resets the connection after a close-delimited body',
    act: saysAndResets(`${UNTIL_CLOSE}whole`),
    expected: [{ status: 200 }],
  },
  {
    name: 'closes TCP without closing TLS after a close-delimited body',
    act: ({ socket, bare }) => void socket.write(`${UNTIL_CLOSE}whole`, () => bare.end()),
    expected: [{ status: 200 }],
  },
]
