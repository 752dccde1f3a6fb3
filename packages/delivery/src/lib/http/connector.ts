import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { AttemptEnd } from './attempt-end.ts'
import { dial } from './dialling.ts'
import type { Resolve } from './dns-resolver.ts'
import type { ReadEgressProxy } from './egress-proxy.ts'
import { lookUpJudged } from './judged-addresses.ts'
import { startReadFirstTimer } from './read-first-timer.ts'
import type { ReadTarget } from './target-reader.ts'
import type { NoConnection } from './transport.ts'
import { openTunnel, TunnelError } from './tunnel.ts'

export interface ConnectorOptions {
  readonly resolve: Resolve
  /** Whether the address policy allows a connection to an address. */
  readonly judge: (address: string, protocol: ReadTarget['protocol']) => boolean
  readonly secureContext: SecureContext
  readonly lookupTimeoutMs: number
  /** Time limit for TCP and TLS together. */
  readonly connectTimeoutMs: number
  /** The proxy for every connection. It looks up the targets' names, so `resolve` is not called if there is a proxy. */
  readonly proxy: ReadEgressProxy | undefined
}

export interface Connector {
  /** Opens a connection to a target, or returns the reason why that failed. */
  connect(target: ReadTarget, end: AttemptEnd): Promise<Socket | NoConnection>
  /** Looks up the addresses to connect to. Returns none if the lookup fails or the policy refuses any of them. */
  addressesOf(target: ReadTarget): Promise<readonly string[]>
}

/**
 * Creates the connector. Its method `connect` is the only function that opens connections. It covers the states from
 * `looking up` to `securing` in the diagram at `Connection` (connection.ts).
 */
export function createConnector(options: ConnectorOptions): Connector {
  const { resolve, judge, secureContext, lookupTimeoutMs, connectTimeoutMs: timeoutMs, proxy } = options

  /**
   * Looks up a target's addresses. If the lookup times out, or the attempt ends before the lookup does, resolves with
   * reason `dns` and aborts the resolver's signal.
   */
  const lookUp = (
    { hostname, isListed, protocol }: ReadTarget,
    end?: AttemptEnd,
  ): Promise<readonly string[] | NoConnection> =>
    new Promise((answer) => {
      const controller = new AbortController()
      const giveUp = (): void => {
        answer({ reason: 'dns', cause: 'silence' })
        controller.abort()
      }
      const timer = startReadFirstTimer(lookupTimeoutMs, giveUp)
      end?.onEnd(giveUp)
      const judgeOne = (address: string): boolean => judge(address, protocol)
      const { signal } = controller
      void lookUpJudged(hostname, { resolve, judge: judgeOne, isListed, signal }).then((addresses) => {
        timer.cancel()
        answer(addresses)
      })
    })

  const tunnelTo = ({ hostname: host, port }: ReadTarget, through: ReadEgressProxy, end: AttemptEnd) =>
    openTunnel({ proxy: through, host, port, secureContext, timeoutMs, end }).catch((error: unknown) => {
      if (error instanceof TunnelError) return { reason: error.reason, cause: error.cause }
      throw error
    })

  const connect: Connector['connect'] = async (target, end) => {
    const open = async (): Promise<Socket | NoConnection> => {
      if (proxy !== undefined) return tunnelTo(target, proxy, end)
      // An IP literal needs no lookup, and the policy has already checked it together with the URL.
      const addresses = target.isAddress ? [target.hostname] : await lookUp(target, end)
      if ('reason' in addresses) return addresses
      const over = end.reason()
      return over === undefined ? dial(addresses, { target, secureContext, timeoutMs, end }) : { reason: over }
    }
    const before = end.reason()
    if (before !== undefined) return { reason: before }
    const opened = await open()
    const reason = end.reason()
    if (reason === undefined) return opened
    // The attempt ended while connecting. The result is the reason why it ended, not what `open` returned.
    if ('destroy' in opened) opened.destroy()
    return { reason }
  }
  return {
    connect,
    async addressesOf(target) {
      const addresses = await lookUp(target)
      return 'reason' in addresses ? [] : addresses
    },
  }
}
