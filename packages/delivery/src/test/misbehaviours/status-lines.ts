import { type Misbehaviour, says } from './misbehaviour.ts'

const REST = 'content-length: 2\r\n\r\nok'

const NO_STATUS = [
  ...['0', '00', '000', '1', '20', '42', '042', '099', '600', '601', '700', '999', '1000', '2000', '20000000000'],
  ...['-200', '+200', '200.0', '0x200', '2xx', 'OK', 'two', '２００', '"200"', '200,200', '200OK', '2 00', ''],
]
const STATUSES = [
  ...[200, 201, 202, 203, 205, 206, 207, 208, 226, 250, 299],
  ...[300, 305, 306, 399, 400, 402, 407, 410, 417, 418, 421, 426, 431, 451, 499, 500, 505, 508, 511, 599],
]

const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'

/** Valid and invalid statuses, and interim answers. */
export const STATUS_LINES: readonly Misbehaviour[] = [
  ...NO_STATUS.map(
    (status): Misbehaviour => ({
      name: `answers with the status ${JSON.stringify(status)}`,
      act: says(`HTTP/1.1 ${status} X\r\n${REST}`),
      expected: ['protocol'],
    }),
  ),
  ...STATUSES.map(
    (status): Misbehaviour => ({
      name: `answers with ${status}`,
      act: says(`HTTP/1.1 ${status} X\r\n${REST}`),
      expected: [{ status, body: status === 205 ? 'ok' : 'ok', truncated: false }],
    }),
  ),
  { name: 'answers with a 101', act: says(UPGRADE), expected: ['protocol'] },
  { name: 'answers with a 101 and frames', act: says(`${UPGRADE}\x81\x02ok`), expected: ['protocol'] },
  {
    name: 'answers with a 101 without an upgrade header',
    act: says('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    expected: ['protocol'],
  },
  {
    name: 'answers with a 101 to HTTP/2',
    act: says('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n\0\0\x06\x04\0\0\0\0\0'),
    expected: ['protocol'],
  },
  {
    name: 'answers with a 101 and then a 200',
    act: says(`${UPGRADE}HTTP/1.1 200 OK\r\n${REST}`),
    expected: ['protocol'],
  },
  {
    name: 'answers with a 200 with an upgrade header',
    act: says(`HTTP/1.1 200 OK\r\nconnection: upgrade\r\nupgrade: websocket\r\n${REST}`),
    expected: [200],
  },
  {
    name: 'answers with a 426 with an upgrade header',
    act: says(`HTTP/1.1 426 Upgrade Required\r\nconnection: upgrade\r\nupgrade: TLS/1.3\r\n${REST}`),
    expected: [426],
  },
  ...[100, 102, 103, 104, 199].map(
    (status): Misbehaviour => ({
      name: `answers with a ${status} before its 202`,
      act: says(`HTTP/1.1 ${status} X\r\n\r\nHTTP/1.1 202 X\r\n${REST}`),
      expected: [{ status: 202, body: 'ok' }],
    }),
  ),
  {
    name: 'answers with a hundred 103s before its 202',
    act: says(`${'HTTP/1.1 103 X\r\nlink: a\r\n\r\n'.repeat(100)}HTTP/1.1 202 X\r\n${REST}`),
    expected: [{ status: 202, body: 'ok' }],
  },
]
