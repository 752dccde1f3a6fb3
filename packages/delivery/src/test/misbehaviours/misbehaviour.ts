import type { Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import type { Runtime } from '@callboard/runtimes'
import type { TransportFailureReason, TransportResponse } from '../../lib/http/transport.ts'
import type { CertificateName } from './certificate-chest.ts'

/**
 * A status, properties of a response, or the reason why there is no response. If there are several reasons, any of them
 * can occur, depending on timing.
 */
export type Expected =
  | number
  | Partial<TransportResponse>
  | TransportFailureReason
  | readonly [TransportFailureReason, ...TransportFailureReason[]]

/** The connection that a misbehaviour acts on. */
export interface Connection {
  readonly socket: Socket
  /** The TCP connection below TLS; without TLS, the same as `socket`. */
  readonly bare: Socket
  /**
   * How many requests the server has received, including this one. If the misbehaviour begins before a request, this
   * is the number of connections instead.
   */
  readonly nth: number
  /** Resets the TCP connection, even underneath TLS. */
  reset(): void
}

/** One thing that a target does wrong. */
export interface Misbehaviour {
  readonly name: string
  /**
   * When the misbehaviour begins: once the TCP connection is established, once TLS is, or after each complete request.
   * The default is the last of these.
   */
  readonly from?: 'tcp' | 'tls' | 'request' | undefined
  readonly act: (connection: Connection) => void
  /** The server's certificate; `good` by default. */
  readonly certificate?: CertificateName | undefined
  /** Additional TLS options for the server. */
  readonly tls?: TlsOptions | undefined
  /** Whether an attempt ends only at its deadline. If so, the test uses a short deadline. */
  readonly hangs?: boolean | undefined
  /** Whether to wait a moment between requests. */
  readonly pause?: boolean | undefined
  /** The outcome of each request to the server, in the order of sending. */
  readonly expected: readonly [Expected, ...Expected[]]
  /**
   * The outcomes on runtimes where they differ from `expected`. A request must never succeed on one runtime and fail on
   * another.
   */
  readonly on?: Partial<Record<Runtime['name'], readonly [Expected, ...Expected[]]>> | undefined
  /** A pattern that no request to the server may contain. */
  readonly never?: RegExp | undefined
  /** How many requests arrive; not checked by default. */
  readonly requests?: number | undefined
  /** How many connections are made for these requests; not checked by default. */
  readonly connections?: number | undefined
}

type Act = Misbehaviour['act']

/** Sends bytes as they are (latin1) and leaves the connection open. */
export function says(bytes: string): Act {
  return ({ socket }) => void socket.write(bytes, 'latin1')
}

/** Sends bytes, then closes its side of TLS and TCP properly. */
export function saysAndEnds(bytes: string): Act {
  return ({ socket }) => void socket.end(bytes, 'latin1')
}

/** How long to wait before a reset, so that the client first reads the bytes that precede it. */
const READ_MS = 200

/** Sends bytes, then resets the TCP connection. */
export function saysAndResets(bytes: string): Act {
  return (connection) => {
    if (bytes === '') return connection.reset()
    connection.socket.write(bytes, 'latin1', () => void setTimeout(() => connection.reset(), READ_MS))
  }
}

/** Sends `first` once and then `again` repeatedly, as fast as the client reads. */
export function floods(first: string, again: string): Act {
  return ({ socket }) => {
    const block = again.repeat(Math.ceil(16_384 / again.length))
    const more = (): void => {
      while (!socket.destroyed && socket.write(block, 'latin1'));
      if (!socket.destroyed) socket.once('drain', more)
    }
    socket.write(first, 'latin1')
    more()
  }
}

/** Sends `first` once and then `again` every 20 ms, for ever. */
export function drips(first: string, again: string): Act {
  return ({ socket }) => {
    socket.write(first, 'latin1')
    const timer = setInterval(() => socket.write(again, 'latin1'), 20)
    socket.once('close', () => clearInterval(timer))
  }
}

/** Performs one act for each request, in turn, and the last act for all further requests. */
export function inTurn(...acts: readonly [Act, ...Act[]]): Act {
  return (connection) => (acts[connection.nth - 1] ?? acts.at(-1))?.(connection)
}

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
