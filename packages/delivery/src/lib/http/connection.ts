import type { Socket } from 'node:net'
import type { AttemptEnd } from './attempt-end.ts'
import { createResponseReader, type ReadProgress, type ReadResponse } from './response-reader.ts'
import type { NoConnection, TransportFailureReason } from './transport.ts'

/**
 * If a reused connection is reset within this many milliseconds after a request was sent, the target is assumed to have
 * closed the connection before the request arrived. A later reset has another cause.
 */
const STALE_WITHIN_MS = 1_000

/**
 * A request is written in pieces of this size, in bytes. Nearly all requests fit into one piece. For a longer one, the
 * deadline is checked before each piece, because the process may stall.
 */
const PIECE_BYTES = 65_536

export type ExchangeResult =
  | (ReadResponse & { readonly kind: 'response'; readonly truncated: boolean })
  | (NoConnection & {
      readonly kind: 'failed'
      /**
       * The request was sent on a reused connection that the target seems to have closed before the request arrived.
       */
      readonly stale: boolean
    })

/**
 * An open, verified connection to a target, which carries one request after another. The diagram shows its whole life.
 * The text beside a state says what ends the state. Quoted words are values of `AttemptReason`.
 *
 * ```text
 *                    asked for
 *   .--------------------+          one is idle
 *   |        .-----------+          none is idle, but some of the origin are in use
 *   |        v           |          otherwise
 *   |<--- waiting ------>|          left: got one in time; right: none in time (25 ms to 1 s)
 *   |                    v
 *   |   .---------> looking up      no address, or none within 5 s ---------------------> 'dns'
 *   |   |                |          an address is outside the policy -------------------> 'blocked'
 *   |   |                v
 *   |   |           connecting      no address accepts within 5 s ----------------------> 'connect'
 *   |   |                |          the peer's address is not the one asked for --------> 'blocked'
 *   |   |                v
 *   |   |            securing       refused, or not within the same 5 s ---------------> 'tls'
 *   |   |                |          the certificate is not valid ---------------------> 'certificate…'
 *   |   | once           |
 *   |   |                v          the request is written
 *   +---|--------> awaiting head    bytes that are not a response to it ----------------> 'protocol'
 *   |   |                |          over 16 KiB of headers ----------------------------> 'headers'
 *   |   |                |          a TLS error ----------------------------------------> 'tls'
 *   |   '----------------+          a kept connection closes within 1 s, before any byte
 *   |                    |          closes otherwise -----------------------------------> 'reset'
 *   |                    v          the head is complete
 *   |              reading body     too long, malformed, closes early, attempt ended ---> response, truncated
 *   |                    |
 *   |                    v          the body is complete: response
 *   |                answered       closing, overfull, request not fully written -------> destroyed
 *   |                    |          over 60 s old, or 500 of the origin are idle -------> destroyed
 *   |                    |          a request of the origin is waiting --------> 'awaiting head' of that request
 *   |                    v          otherwise
 *   '------------------ idle        unused for 30 s, displaced, closes, bytes arrive ---> destroyed
 * ```
 *
 * - Configurable numbers are shown with their defaults. A failure or a truncated response also destroys the connection.
 * - In every state before `reading body`, the deadline ends the attempt as `'timeout'`, and an abort ends it as
 *   `'aborted'`. The end of the lease also ends it as `'aborted'`, unless the request has been fully written. After any
 *   of these three, nothing more of the request is written.
 * - When a request ends and its connection cannot be kept, the origin's oldest waiting request goes on to `looking up`.
 * - An IP literal is not looked up, because the address policy has checked it with its URL. Plain `http:` skips
 *   `securing`.
 * - Through an egress proxy nothing is looked up, and `connecting` lasts until the proxy has answered `CONNECT`: its
 *   403 and 407 are `'blocked'`, any other failure is `'connect'`.
 * - `closing`: the target announces that it will close the connection, speaks HTTP/1.0, or ends the body by closing.
 *   `overfull`: bytes follow the body.
 * - The target's `keep-alive` can shorten the 30 s. If no time is left, the connection counts as `closing`.
 * - `displaced`: when 2,048 connections are idle in all, the next one displaces the least recently used. If this
 *   limit is 0, no request waits and no connection is kept.
 *
 * The states are implemented in `connection-pool.ts` (`asked for`, `waiting`, `answered`, `idle`), `connector.ts`
 * (`looking up`), `dialling.ts` or `tunnel.ts` (`connecting`, `securing`) and this file (the exchange).
 * `https-transport.ts` sends a request a second time (`once`).
 */
export interface Connection {
  readonly origin: string
  /** When the connection was opened, by the transport's clock. */
  readonly openedAt: number
  /** How long the connection can be kept for another request, in milliseconds; 0 if it cannot be kept. */
  keepMs(): number
  /**
   * Sends one request and reads its response: the states `awaiting head` and `reading body`. The first event that ends
   * the exchange decides the result. Once the head is complete, the result is always a response, perhaps truncated.
   */
  exchange(request: Uint8Array, end: AttemptEnd): Promise<ExchangeResult>
  close(): void
}

export interface ConnectionOptions {
  readonly origin: string
  readonly now: () => number
  /** Called once, after either side has closed the connection. */
  readonly onClose: (connection: Connection) => void
}

/** The current exchange, which receives the socket's events. */
interface Listener {
  data(chunk: Buffer): void
  ended(error?: NodeJS.ErrnoException): void
}

/** Wraps a socket that has just been opened and verified, and has not been read from. */
export function createConnection(socket: Socket, { origin, now, onClose }: ConnectionOptions): Connection {
  /** Undefined while no request uses the connection. */
  let listener: Listener | undefined
  let keepMs = 0
  let exchanges = 0
  // The deadline of an attempt keeps the process alive; an idle connection must not.
  socket.unref()
  // Bytes that arrive on an idle connection would be taken for the response to the next request, so the connection is
  // closed.
  socket.on('data', (chunk: Buffer) => (listener === undefined ? socket.destroy() : listener.data(chunk)))
  socket.on('end', () => (listener === undefined ? socket.destroy() : listener.ended()))
  socket.on('error', (error) => listener?.ended(error))
  socket.on('close', () => {
    listener?.ended(new Error('closed'))
    keepMs = 0
    onClose(connection)
  })

  const exchange = (request: Uint8Array, end: AttemptEnd): Promise<ExchangeResult> =>
    new Promise((resolve) => {
      const over = end.reason()
      // Nothing of this request has been written, so the connection stays usable for the next request.
      if (over !== undefined) return resolve({ kind: 'failed', reason: over, stale: false })
      const reader = createResponseReader()
      const startedAt = now()
      const reused = exchanges++ > 0
      let written = 0
      keepMs = 0

      const finish = (result: ExchangeResult): void => {
        listener = undefined
        if (keepMs === 0) socket.destroy()
        resolve(result)
      }
      const isSent = (): boolean => written === request.length && socket.writableLength === 0
      const fail = (reason: TransportFailureReason, stale = false): void => finish({ kind: 'failed', reason, stale })
      const answer = (truncated: boolean): boolean => {
        const response = reader.response()
        if (response !== undefined) finish({ ...response, kind: 'response', truncated })
        return response !== undefined
      }
      const follow = (progress: ReadProgress): void => {
        // The next request can use the connection only if all of this request has been sent.
        if (progress === 'whole' && isSent()) keepMs = reader.keepMs()
        if (progress === 'protocol' || progress === 'headers') fail(progress)
        else if (progress !== 'more') answer(progress === 'cut')
      }
      const stop = (): void => void (answer(true) || fail(end.reason() ?? 'aborted'))
      const writeOn = (): void => {
        // `end.reason` reads the clock right before each write, because the process may just have stalled.
        if (end.reason() !== undefined) {
          stop()
          return
        }
        const piece = request.subarray(written, written + PIECE_BYTES)
        written += piece.length
        if (written === request.length) socket.write(piece)
        else socket.write(piece, () => void (socket.destroyed || writeOn()))
      }
      end.onEnd(stop, isSent)
      listener = {
        data: (chunk) => follow(reader.add(chunk)),
        ended(error) {
          const progress = error === undefined ? reader.end() : 'cut'
          if (answer(progress === 'cut')) return
          const { code = '' } = error ?? {}
          // In TLS 1.3, the server can still refuse the handshake after the client has finished its part, so the
          // refusal may arrive during the exchange.
          if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return fail('tls')
          fail('reset', reused && !reader.begun() && now() - startedAt < STALE_WITHIN_MS)
        },
      }
      if (socket.destroyed) listener.ended(new Error('closed'))
      else writeOn()
    })

  const connection: Connection = {
    origin,
    openedAt: now(),
    keepMs: () => keepMs,
    exchange,
    close: () => void socket.destroy(),
  }
  return connection
}
