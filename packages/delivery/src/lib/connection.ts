import type { Socket } from 'node:net'
import type { AttemptEnd } from './attempt-end.ts'
import { createResponseReader, type ReadProgress, type ReadResponse } from './response-reader.ts'
import type { TransportFailureReason } from './transport.ts'

/** A kept connection that the target had already closed says so within a round trip. */
const STALE_WITHIN_MS = 1_000

export type ExchangeResult =
  | (ReadResponse & { readonly kind: 'response'; readonly truncated: boolean })
  | {
      readonly kind: 'failed'
      readonly reason: TransportFailureReason
      /** The request went out on a kept connection that seems to have been closed before it arrived. */
      readonly stale: boolean
    }

/** An open connection to a target, verified; it carries one request after another. */
export interface Connection {
  readonly origin: string
  /** When it was opened, by the transport's clock. */
  readonly openedAt: number
  /** For how long it may be kept for another request, in milliseconds; 0: not at all. */
  keepMs(): number
  /**
   * One request and its response. The first end wins: a response, the end of the connection, of the attempt, or of what
   * may be read; once the head is complete the result is a response, whatever becomes of the body.
   */
  exchange(request: Uint8Array, end: AttemptEnd): Promise<ExchangeResult>
  close(): void
}

export interface ConnectionOptions {
  readonly origin: string
  readonly now: () => number
  /** Called once, when it is closed, by whomever. */
  readonly onClose: (connection: Connection) => void
}

/** What a connection's events mean to whoever waits for an answer on it. */
interface Listener {
  data(chunk: Buffer): void
  ended(error?: NodeJS.ErrnoException): void
}

/** Makes a connection of a socket that has just been opened and judged, and has not been read from. */
export function createConnection(socket: Socket, { origin, now, onClose }: ConnectionOptions): Connection {
  let listener: Listener | undefined
  let keepMs = 0
  let exchanges = 0
  // An attempt's deadline keeps the process alive, an idle connection does not.
  socket.unref()
  // What comes when nobody has asked would be taken for the next request's answer.
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
      if (over !== undefined) return resolve({ kind: 'failed', reason: over, stale: false })
      const reader = createResponseReader()
      const startedAt = now()
      const reused = exchanges++ > 0
      keepMs = 0

      const finish = (result: ExchangeResult): void => {
        listener = undefined
        if (keepMs === 0) socket.destroy()
        resolve(result)
      }
      const fail = (reason: TransportFailureReason, stale = false): void => finish({ kind: 'failed', reason, stale })
      const answer = (truncated: boolean): boolean => {
        const response = reader.response()
        if (response !== undefined) finish({ ...response, kind: 'response', truncated })
        return response !== undefined
      }
      const follow = (progress: ReadProgress): void => {
        // A connection on which either side is not done cannot carry another request.
        if (progress === 'whole' && socket.writableLength === 0) keepMs = reader.keepMs()
        if (progress === 'bad') fail('protocol')
        else if (progress !== 'more') answer(progress === 'cut')
      }
      end.onEnd(() => void (answer(true) || fail(end.reason() ?? 'aborted')))
      listener = {
        data: (chunk) => follow(reader.add(chunk)),
        ended(error) {
          const progress = error === undefined ? reader.end() : 'cut'
          if (answer(progress === 'cut')) return
          const { code = '' } = error ?? {}
          // TLS 1.3 tells of a refused handshake only after the client has finished it.
          if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return fail('tls')
          fail('reset', reused && !reader.begun() && now() - startedAt < STALE_WITHIN_MS)
        },
      }
      if (socket.destroyed) listener.ended(new Error('closed'))
      else socket.write(request)
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
