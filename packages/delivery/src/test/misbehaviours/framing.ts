import { type Expected, type Misbehaviour, saysAndEnds } from './misbehaviour.ts'

const START = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${START}transfer-encoding: chunked\r\n\r\n`

const LENGTHS: readonly (readonly [name: string, bytes: string, expected: Expected])[] = [
  ['two lengths', `${START}content-length: 1\r\ncontent-length: 2\r\n\r\nok`, 'protocol'],
  ['the same length twice', `${START}content-length: 2\r\ncontent-length: 2\r\n\r\nok`, 'protocol'],
  ['a list of lengths', `${START}content-length: 2, 2\r\n\r\nok`, 'protocol'],
  ['a negative length', `${START}content-length: -2\r\n\r\nok`, 'protocol'],
  ['a signed length', `${START}content-length: +2\r\n\r\nok`, 'protocol'],
  ['a length of letters', `${START}content-length: two\r\n\r\nok`, 'protocol'],
  ['a length in hex', `${START}content-length: 0x2\r\n\r\nok`, 'protocol'],
  ['a fractional length', `${START}content-length: 2.0\r\n\r\nok`, 'protocol'],
  ['a length that contains a space', `${START}content-length: 1 2\r\n\r\nok`, 'protocol'],
  ['a length over 64 bits', `${START}content-length: 99999999999999999999\r\n\r\nok`, 'protocol'],
  ['an empty length', `${START}content-length: \r\n\r\nok`, 'protocol'],
  [
    'a length and chunks',
    `${START}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    'protocol',
  ],
  [
    'chunks and a length',
    `${START}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    'protocol',
  ],
  ['a body longer than its length', `${START}connection: close\r\ncontent-length: 2\r\n\r\nok and more`, 200],
  [
    'a body shorter than its length',
    `${START}content-length: 9\r\n\r\nok`,
    { status: 200, body: 'ok', truncated: true },
  ],
  ['a 204 with a body', 'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok', { status: 204, body: '' }],
  [
    'a 204 with chunks',
    'HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    { status: 204, body: '' },
  ],
  ['a 204 and junk', 'HTTP/1.1 204 No Content\r\n\r\n\0junk\r\n\r\n', { status: 204, body: '' }],
  ['a 304 with a length', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 2\r\n\r\n', { status: 304, body: '' }],
  ['a 205 with a body', 'HTTP/1.1 205 Reset Content\r\ncontent-length: 2\r\n\r\nok', { status: 205 }],
  [
    'a 206 with a range',
    'HTTP/1.1 206 Partial Content\r\ncontent-range: bytes 0-1/9\r\ncontent-length: 2\r\n\r\nok',
    { status: 206, body: 'ok' },
  ],
]

/** Once the headers are complete, the answer counts as a response, even if the chunks are invalid. */
const CHUNKS: readonly (readonly [name: string, bytes: string])[] = [
  ['a chunk size of letters', 'xyz\r\nok\r\n0\r\n\r\n'],
  ['a negative chunk size', '-2\r\nok\r\n0\r\n\r\n'],
  ['a signed chunk size', '+2\r\nok\r\n0\r\n\r\n'],
  ['a chunk size in 0x', '0x2\r\nok\r\n0\r\n\r\n'],
  ['a chunk size over 64 bits', 'fffffffffffffffff\r\nok\r\n0\r\n\r\n'],
  ['a chunk size of all 64 bits', 'ffffffffffffffff\r\nok'],
  ['no chunk size', '\r\nok\r\n0\r\n\r\n'],
  ['a space before a chunk size', ' 2\r\nok\r\n0\r\n\r\n'],
  ['a chunk longer than its size', '1\r\nok\r\n0\r\n\r\n'],
  ['a chunk shorter than its size', '9\r\nok\r\n0\r\n\r\n'],
  ['a NUL in a chunk size', '2\0\r\nok\r\n0\r\n\r\n'],
  ['bare LF between chunks', '2\nok\n0\n\n'],
  ['a lone CR after a chunk size', '2\rok\r\n0\r\n\r\n'],
  ['a broken trailer', '2\r\nok\r\n0\r\nnonsense\r\n\r\n'],
  ['a NUL in a trailer', '2\r\nok\r\n0\r\na: \0\r\n\r\n'],
  ['a trailer that is a length', '2\r\nok\r\n0\r\ncontent-length: 9\r\n\r\n'],
]

const CODINGS: readonly (readonly [coding: string, expected: Expected])[] = [
  ['identity', { status: 200 }],
  ['gzip', { status: 200, body: 'compressed (gzip)' }],
  ['gzip, chunked', { status: 200, body: 'compressed (gzip)' }],
  ['CHUNKED', { status: 200 }],
]

/** Answers that misstate where they end. */
export const FRAMING: readonly Misbehaviour[] = [
  ...LENGTHS.map(
    ([name, bytes, expected]): Misbehaviour => ({
      name: `answers with ${name}`,
      act: saysAndEnds(bytes),
      expected: [expected],
    }),
  ),
  ...CHUNKS.map(
    ([name, bytes]): Misbehaviour => ({
      name: `answers with ${name}`,
      act: saysAndEnds(CHUNKED + bytes),
      expected: [200],
    }),
  ),
  ...CODINGS.map(
    ([coding, expected]): Misbehaviour => ({
      name: `answers with the transfer coding ${coding}`,
      act: saysAndEnds(`${START}transfer-encoding: ${coding}\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
      expected: [expected],
    }),
  ),
  {
    name: 'lists the transfer coding chunked twice',
    act: saysAndEnds(`${START}transfer-encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    expected: [200],
  },
  {
    name: 'answers with bare LF line ends',
    act: saysAndEnds('HTTP/1.1 200 OK\ncontent-length: 2\n\nok'),
    expected: ['protocol'],
  },
]
