import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, type SecureContext, connect as tlsConnect } from 'node:tls'
import { canonicalAddress } from '@callboard/core/engine'
import type { AttemptEnd } from './attempt-end.ts'
import { causeOfConnecting } from './failure-cause.ts'
import { startReadFirstTimer } from './read-first-timer.ts'
import type { ReadTarget } from './target-reader.ts'
import type { NoConnection } from './transport.ts'
import { type HandshakeFailure, handshakeFailure, verifiedTls } from './verified-tls.ts'

export interface DialOptions {
  readonly target: ReadTarget
  readonly secureContext: SecureContext
  /** Time limit, in milliseconds, for everything together: TCP to one address after another, and TLS. */
  readonly timeoutMs: number
  readonly end: AttemptEnd
}

/**
 * How long, in milliseconds, to try an address if there is another one to try after it. Long enough to reach a distant
 * host, but short enough to leave time for the next address.
 */
const ADDRESS_MS = 1_000

/**
 * Connects to the first address that accepts a connection. The diagram at `Connection` (connection.ts) shows this as
 * the states `connecting` and `securing`. The runtime receives only the address; the name is used only for TLS. No
 * request is sent to a peer with another address.
 */
export function dial(
  addresses: readonly string[],
  { target, secureContext, timeoutMs, end }: DialOptions,
): Promise<Socket | NoConnection> {
  return new Promise((resolve) => {
    const left = [...addresses]
    let current: Socket | undefined
    /**
     * Becomes `tls` once the connection is known to lead to the requested address. From then on, no other address is
     * tried.
     */
    let phase: 'connect' | 'tls' = 'connect'
    let cause: NoConnection['cause'] = 'silence'
    let patience: ReturnType<typeof startReadFirstTimer> | undefined
    const budget = startReadFirstTimer(timeoutMs, () => settle(phase))

    const settle = (result: Socket | typeof phase | HandshakeFailure | 'blocked'): void => {
      budget.cancel()
      patience?.cancel()
      if (result !== current) current?.destroy()
      current = undefined
      if (typeof result === 'string') resolve({ reason: result, cause: result === 'connect' ? cause : undefined })
      else resolve(result)
    }
    const next = (): void => {
      patience?.cancel()
      current?.destroy()
      const address = left.shift()
      if (address === undefined) {
        settle('connect')
        return
      }
      const terms = verifiedTls(target.hostname, secureContext)
      const socket = open(address, target, terms.options)
      current = socket
      if (left.length > 0) patience = startReadFirstTimer(ADDRESS_MS, next)
      const lost = (error: { readonly code?: string } = {}): void => {
        if (current !== socket) return
        if (phase === 'tls') {
          settle(handshakeFailure(error))
          return
        }
        const found = causeOfConnecting(error, address)
        if (cause === 'silence' || found === 'resources') cause = found
        next()
      }
      socket.on('error', lost).on('close', () => lost())
      socket.once('connect', () => {
        if (current !== socket) return
        patience?.cancel()
        // The connection was reset before the peer's address could be read. The policy has not refused that address, so
        // the reason is `connect` and not `blocked`.
        if (socket.remoteAddress === undefined) {
          cause = undefined
          return settle('connect')
        }
        if (canonicalAddress(socket.remoteAddress) !== canonicalAddress(address)) return settle('blocked')
        phase = 'tls'
        if (target.protocol === 'http:') settle(socket)
      })
      socket.once('secureConnect', () => {
        if (current !== socket) return
        if (phase === 'tls') settle(terms.isVerified() ? socket : 'certificate_name')
        else settle('blocked')
      })
    }
    end.onEnd(() => settle(phase))
    next()
  })
}

function open(host: string, { protocol, port }: ReadTarget, terms: ConnectionOptions): Socket {
  const at = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 1_000 }
  return protocol === 'http:' ? connect(at) : tlsConnect({ ...at, ...terms })
}
