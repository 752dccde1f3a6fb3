import { type Connection, inTurn, type Misbehaviour, OK, says } from './misbehaviour.ts'

const UNASKED = 'HTTP/1.1 201 Unasked\r\ncontent-length: 7\r\n\r\nunasked'

/**
 * How many milliseconds a target waits after its answer before it does something more. By then, even a busy process
 * must have read the answer, but must not have sent the next request.
 */
const LATER_MS = 500

/** Answers, and a moment later sends more bytes that nobody requested. */
const laterSays =
  (bytes: string) =>
  ({ socket }: Connection): void => {
    socket.write(OK, () => setTimeout(() => socket.write(bytes, 'latin1'), LATER_MS))
  }
const second = says('HTTP/1.1 202 X\r\ncontent-length: 6\r\n\r\nsecond')
const secondAnswer = { status: 202, body: 'second' }

/** Targets that misuse a connection that is kept for the next request. */
export const KEPT_CONNECTIONS: readonly Misbehaviour[] = [
  ...(
    [
      ['an answer', UNASKED],
      ['half an answer', 'HTTP/1.1 201 Unasked\r\n'],
      ['an interim answer', 'HTTP/1.1 103 X\r\n\r\n'],
      ['a 408', 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'],
      ['an empty line', '\r\n'],
      ['one byte', 'H'],
      ['junk', '\0junk'],
      ['64 KiB', UNASKED.repeat(1_300)],
    ] as const
  ).map(
    ([what, bytes]): Misbehaviour => ({
      name: `sends ${what} on an idle connection`,
      act: inTurn(laterSays(bytes), second),
      pause: true,
      expected: [200, secondAnswer],
      // The number of connections is not checked if the bytes could also be the start of the next answer.
      connections: /half|empty|one byte/.test(what) ? undefined : 2,
    }),
  ),
  {
    name: 'ends an idle connection',
    act: inTurn(({ socket }) => void socket.write(OK, () => setTimeout(() => socket.end(), LATER_MS)), second),
    pause: true,
    expected: [200, secondAnswer],
  },
  {
    name: 'resets an idle connection',
    act: inTurn(({ socket, reset }) => void socket.write(OK, () => setTimeout(reset, LATER_MS)), second),
    pause: true,
    expected: [200, secondAnswer],
  },
  {
    name: 'sends two answers at once',
    act: inTurn(says(`${OK}${UNASKED}`), second),
    expected: [{ status: 200, body: 'ok' }, secondAnswer],
  },
  {
    name: 'sends an answer and a half at once',
    act: inTurn(says(`${OK}HTTP/1.1 201 Un`), second),
    expected: [{ status: 200, body: 'ok' }, secondAnswer],
  },
  {
    name: 'sends more of a body than it announced',
    act: inTurn(says(`${OK}and more`), second),
    expected: [200, secondAnswer],
  },
  {
    name: 'answers its second request with two answers',
    act: inTurn(says(OK), says(`${OK}${UNASKED}`), second),
    expected: [200, { status: 200, body: 'ok' }, secondAnswer],
  },
  {
    name: 'ends a kept connection on the next request',
    act: inTurn(says(OK), ({ socket }) => void socket.end(), says(OK)),
    expected: [200, 200],
    requests: 3,
  },
  {
    name: 'resets a kept connection on the next request',
    act: inTurn(says(OK), ({ reset }) => reset(), says(OK)),
    expected: [200, 200],
    requests: 3,
  },
  {
    name: 'ends each connection that it promised to keep',
    act: ({ socket }) =>
      void socket.end(OK.replace('\r\n', '\r\nconnection: keep-alive\r\nkeep-alive: timeout=600\r\n')),
    expected: [200, 200, 200],
  },
  {
    name: 'answers before the request',
    from: 'tls',
    act: says(OK),
    expected: [200],
  },
  {
    name: 'is silent on a kept connection',
    hangs: true,
    act: inTurn(says(OK), () => undefined),
    expected: [200, 'timeout'],
    requests: 2,
  },
]
