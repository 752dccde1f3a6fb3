import type { TlsOptions } from 'node:tls'
import type { Runtime } from '@callboard/runtimes'
import type { TransportFailureReason, TransportResponse } from '../../lib/transport.ts'
import type { CertificateName } from './certificate-chest.ts'
import type { Connection } from './hostile-server.ts'

/** A status, a response's own marks, or why there was none; several reasons where which one it is depends on timing. */
export type Expected =
  | number
  | Partial<TransportResponse>
  | TransportFailureReason
  | readonly [TransportFailureReason, ...TransportFailureReason[]]

/** One thing that a target does wrong, or tries on us. */
export interface Misbehaviour {
  readonly name: string
  /** When it begins: on the bare connection, once TLS stands, or (by default) after each whole request. */
  readonly from?: 'tcp' | 'tls' | 'request' | undefined
  readonly act: (connection: Connection) => void
  /** `good` by default. */
  readonly certificate?: CertificateName | undefined
  /** How else the server does TLS. */
  readonly tls?: TlsOptions | undefined
  /** Whether only a deadline ends it; such a case gets a short one. */
  readonly hangs?: boolean | undefined
  /** Whether a moment passes between requests. */
  readonly pause?: boolean | undefined
  /** What comes of each of the requests sent to it, one after the other. */
  readonly expected: readonly [Expected, ...Expected[]]
  /** What comes of it on a runtime whose parser judges otherwise; never a success here and a failure there. */
  readonly on?: Partial<Record<Runtime['name'], readonly [Expected, ...Expected[]]>> | undefined
  /** What must not be in any request that it gets. */
  readonly never?: RegExp | undefined
  /** How many requests arrive: one for each of `expected`, unless it is said here. */
  readonly requests?: number | undefined
  /** How many connections were made for them; any number, unless it is said here. */
  readonly connections?: number | undefined
}

type Act = Misbehaviour['act']

/** Sends bytes as they are (latin1) and leaves the connection open. */
export function says(bytes: string): Act {
  return ({ socket }) => void socket.write(bytes, 'latin1')
}

/** Sends bytes, then ends its side as TLS and TCP want it. */
export function saysAndEnds(bytes: string): Act {
  return ({ socket }) => void socket.end(bytes, 'latin1')
}

/** A reset that arrives together with bytes may take them with it: these are read by then. */
const READ_MS = 200

/** Sends bytes, then resets the TCP connection. */
export function saysAndResets(bytes: string): Act {
  return (connection) => {
    if (bytes === '') return connection.reset()
    connection.socket.write(bytes, 'latin1', () => void setTimeout(() => connection.reset(), READ_MS))
  }
}

/** Sends some bytes, then others again and again as fast as they are taken. */
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

/** Sends some bytes, then others again and again, a few every 20 ms, for ever. */
export function drips(first: string, again: string): Act {
  return ({ socket }) => {
    socket.write(first, 'latin1')
    const timer = setInterval(() => socket.write(again, 'latin1'), 20)
    socket.once('close', () => clearInterval(timer))
  }
}

/** One act for each request, the last for all that follow. */
export function inTurn(...acts: readonly [Act, ...Act[]]): Act {
  return (connection) => (acts[connection.nth - 1] ?? acts.at(-1))?.(connection)
}

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
