import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, type SecureContext, connect as tlsConnect } from 'node:tls'
import { canonicalAddress } from '@callboard/core/engine'
import type { AttemptEnd } from './attempt-end.ts'
import { startReadFirstTimer } from './read-first-timer.ts'
import type { ReadTarget } from './target-reader.ts'
import { verifiedTls } from './verified-tls.ts'

export interface DialOptions {
  readonly target: ReadTarget
  readonly secureContext: SecureContext
  /** Time limit of everything: TCP to one address after another, and TLS. */
  readonly timeoutMs: number
  readonly end: AttemptEnd
}

/** How long an address may take while others are left: enough for a distant host, short for an unreachable one. */
const ADDRESS_MS = 1_000

/**
 * Connects to the first of these addresses that accepts: `connecting` and `securing` of the drawing at `Connection`
 * (connection.ts). The runtime is given the address, never the name, which only TLS uses. Nothing is sent to a peer
 * with another address than the one asked for.
 */
export function dial(
  addresses: readonly string[],
  { target, secureContext, timeoutMs, end }: DialOptions,
): Promise<Socket | 'connect' | 'tls' | 'blocked'> {
  return new Promise((resolve) => {
    const left = [...addresses]
    let current: Socket | undefined
    /** `tls` once the peer's address is known to be the one asked for; no other address is dialled from then on. */
    let phase: 'connect' | 'tls' = 'connect'
    let patience: ReturnType<typeof startReadFirstTimer> | undefined
    const budget = startReadFirstTimer(timeoutMs, () => settle(phase))

    const settle = (result: Socket | typeof phase | 'blocked'): void => {
      budget.cancel()
      patience?.cancel()
      if (result !== current) current?.destroy()
      current = undefined
      resolve(result)
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
      const lost = (): void => {
        if (current !== socket) return
        if (phase === 'connect') next()
        else settle('tls')
      }
      socket.on('error', lost).on('close', lost)
      socket.once('connect', () => {
        if (current !== socket) return
        patience?.cancel()
        // Reset before its peer's address could be read: nothing was sent, and no policy refused it.
        if (socket.remoteAddress === undefined) return settle('connect')
        if (canonicalAddress(socket.remoteAddress) !== canonicalAddress(address)) return settle('blocked')
        phase = 'tls'
        if (target.protocol === 'http:') settle(socket)
      })
      socket.once('secureConnect', () => {
        if (current !== socket) return
        if (phase === 'tls') settle(terms.isVerified() ? socket : 'tls')
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
