import { X509Certificate } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import * as tls from 'node:tls'
import { type AddressPolicy, assertAddressPolicy, CallboardError, judgeAddress, parseTargetUrl } from '@callboard/core'
import { createDnsResolver, type Resolve } from './dns-resolver.ts'
import { type EgressProxy, readEgressProxy } from './egress-proxy.ts'
import { exchange } from './https-exchange.ts'
import { limitIdleSockets } from './idle-sockets.ts'
import { startReadFirstTimer } from './read-first-timer.ts'
import type { Transport, TransportFailureReason, TransportOutcome } from './transport.ts'
import { tunnelThrough } from './tunnelling.ts'

export interface HttpsTransportOptions {
  /** Where requests may go; default: public addresses over HTTPS. Read once: another policy needs another transport. */
  readonly addressPolicy?: AddressPolicy | undefined
  /** The whole attempt, from the look-up to the end of the body, in milliseconds. Default 15,000, at most 30,000. */
  readonly deadlineMs?: number | undefined
  /** The look-up's share of it. Default 5,000. */
  readonly lookupTimeoutMs?: number | undefined
  /** Connecting and TLS together. Default 5,000. */
  readonly connectTimeoutMs?: number | undefined
  /** PEM certificates to trust besides the runtime's own roots. */
  readonly extraCaCertificates?: readonly string[] | undefined
  /** Idle connections kept for one target. Default 10, the number of deliveries a subscription has in flight. */
  readonly maxIdleSocketsPerTarget?: number | undefined
  /** Idle connections kept in all; 0 keeps none. Default 2,048: with fewer than targets, each request is a handshake (1.5 ms). */
  readonly maxIdleSockets?: number | undefined
  /** How long a connection may be idle, in milliseconds, unless the target's `keep-alive` asks for less. Default 30,000. */
  readonly idleSocketMs?: number | undefined
  /** How old a connection may be to be kept after a request, in milliseconds. Default 60,000. */
  readonly socketLifeMs?: number | undefined
  /** Looks names up. Default: the system's name servers (`createDnsResolver`). Its answers are judged, whatever it is. */
  readonly resolve?: Resolve | undefined
  /**
   * Every request leaves through this proxy, which looks names up and judges their addresses; `resolve` is not asked.
   * URLs and literals are judged here all the same. None by default, whatever the environment says.
   */
  readonly egressProxy?: EgressProxy | undefined
  /** Monotonic milliseconds, for durations and ages. Default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/** Longest deadline that may be set, in milliseconds. */
export const MAX_DEADLINE_MS = 30_000

/**
 * The default transport: `node:https` with an own look-up, so that the address that was judged is the one connected to
 * on Node, Bun and Deno alike (`provePinning` checks it on the runtime at hand). No redirects, cookies, proxies from
 * the environment, `accept-encoding` or decompression.
 *
 * A request that went out on a kept connection and was reset at once, before any response, is sent again on a new
 * connection, once, within the same deadline: targets close idle connections whenever they like, and that is no
 * failure of theirs. Should the target have processed the first copy, the second is the repeat that at-least-once
 * delivery announces, with the same `webhook-id`.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a deadline over 30 s, a number out of range, a policy, proxy or
 * certificate that cannot be read, and `httpLoopbackHosts` beside a proxy, whose loopback is not this machine's.
 */
export function createHttpsTransport(options: HttpsTransportOptions = {}): Transport {
  const { addressPolicy = {}, resolve = createDnsResolver(), now = () => performance.now() } = options
  assertAddressPolicy(addressPolicy)
  const deadlineMs = within(options.deadlineMs ?? 15_000, 1, MAX_DEADLINE_MS, 'deadlineMs')
  const lookupTimeoutMs = within(options.lookupTimeoutMs ?? 5_000, 1, MAX_DEADLINE_MS, 'lookupTimeoutMs')
  const connectTimeoutMs = within(options.connectTimeoutMs ?? 5_000, 1, MAX_DEADLINE_MS, 'connectTimeoutMs')
  const idleMs = within(options.idleSocketMs ?? 30_000, 1, 600_000, 'idleSocketMs')
  const lifeMs = within(options.socketLifeMs ?? 60_000, 0, 3_600_000, 'socketLifeMs')
  const perTarget = within(options.maxIdleSocketsPerTarget ?? 10, 1, 10_000, 'maxIdleSocketsPerTarget')
  const total = within(options.maxIdleSockets ?? 2_048, 0, 100_000, 'maxIdleSockets')
  const proxy = options.egressProxy && readEgressProxy(options.egressProxy)
  if (proxy !== undefined && (addressPolicy.httpLoopbackHosts ?? []).length > 0)
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      'egressProxy and addressPolicy.httpLoopbackHosts exclude each other.',
    )
  const secureContext = createSecureContext(options.extraCaCertificates ?? [])
  // Deno takes the environment's proxies for any agent when NODE_USE_ENV_PROXY is set, unless the agent names its own: none.
  const direct = { proxyEnv: {} }
  const secure = {
    ...direct,
    secureContext,
    // Both are defaults that the environment can change (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0).
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  } as const

  const verified = new WeakMap<object, number>()
  const kept = { ...direct, keepAlive: true, maxFreeSockets: perTarget, timeout: idleMs }
  const keptAgents = { 'https:': new HttpsAgent({ ...kept, ...secure }), 'http:': new HttpAgent(kept) }
  const freshAgents = { 'https:': new HttpsAgent(secure), 'http:': new HttpAgent(direct) }
  for (const agent of Object.values(keptAgents)) {
    limitIdleSockets(agent, { total, lifeMs }, (socket) => {
      const since = verified.get(socket)
      return since === undefined ? undefined : now() - since
    })
  }
  const closing = new AbortController()
  if (proxy !== undefined) {
    const timeoutMs = Math.min(connectTimeoutMs, deadlineMs)
    const onOpen = (socket: object): void => void verified.set(socket, now())
    for (const agent of [keptAgents['https:'], freshAgents['https:']])
      tunnelThrough(agent, { proxy, secureContext, timeoutMs, signal: closing.signal, onOpen })
  }
  const running = new Set<() => void>()
  let closed = false

  return {
    async send(request, signal) {
      const startedAt = now()
      const durationMs = (): number => Math.max(0, Math.round(now() - startedAt))
      const failed = (reason: TransportFailureReason): TransportOutcome => ({
        kind: 'failed',
        reason,
        durationMs: durationMs(),
      })
      if (closed || signal?.aborted) return failed('aborted')
      const target = parseTargetUrl(request.url, addressPolicy)
      if (!target.ok) return failed('blocked')

      const end = new AbortController()
      const abort = (): void => end.abort('aborted')
      const deadline = startReadFirstTimer(deadlineMs, () => end.abort('timeout'))
      signal?.addEventListener('abort', abort, { once: true })
      running.add(abort)
      try {
        const { protocol } = target.url
        const attempt = {
          target: target.url,
          request,
          resolve: proxy === undefined ? resolve : refuseLookup,
          judge: (address: string) => judgeAddress(address, addressPolicy, protocol),
          tunnelled: proxy !== undefined,
          lookupTimeoutMs,
          connectTimeoutMs,
          now,
          verified,
          signal: end.signal,
        }
        let result = await exchange({ ...attempt, agent: keptAgents[protocol] })
        if (result.kind === 'failed' && result.stale && !end.signal.aborted) {
          result = await exchange({ ...attempt, agent: freshAgents[protocol] })
        }
        if (result.kind === 'failed') return failed(result.reason)
        return { ...result, durationMs: durationMs() }
      } finally {
        deadline.cancel()
        signal?.removeEventListener('abort', abort)
        running.delete(abort)
        // Calls off a look-up that nobody waits for any more.
        end.abort('aborted')
      }
    },
    close() {
      closed = true
      closing.abort()
      for (const abort of running) abort()
      for (const agent of [...Object.values(keptAgents), ...Object.values(freshAgents)]) agent.destroy()
    },
  }
}

/**
 * One context for all connections: given as `ca`, some 150 certificates would be parsed anew for each of them.
 * `getCACertificates` (Node 22.15 and later) also knows the roots that the environment adds.
 */
function createSecureContext(extra: readonly string[]): tls.SecureContext {
  try {
    // The context itself passes over what it cannot read.
    for (const certificate of extra) new X509Certificate(certificate)
    if (extra.length === 0) return tls.createSecureContext({ minVersion: 'TLSv1.2' })
    const roots = typeof tls.getCACertificates === 'function' ? tls.getCACertificates('default') : tls.rootCertificates
    return tls.createSecureContext({ ca: [...roots, ...extra], minVersion: 'TLSv1.2' })
  } catch (cause) {
    throw new CallboardError('CONFIGURATION_INVALID', 'extraCaCertificates must be certificates in PEM.', { cause })
  }
}

/** A runtime that would connect by itself, past the proxy, gets nowhere. */
const refuseLookup: Resolve = () => Promise.reject(new Error('The proxy looks names up.'))

function within(value: number, min: number, max: number, option: string): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new CallboardError('CONFIGURATION_INVALID', `${option} must be a whole number from ${min} to ${max}.`)
}
