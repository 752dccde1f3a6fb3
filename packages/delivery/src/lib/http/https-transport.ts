import { X509Certificate } from 'node:crypto'
import * as tls from 'node:tls'
import { type AddressPolicy, CallboardError } from '@callboard/core'
import { assertAddressPolicy, judgeAddress } from '@callboard/core/engine'
import { type AttemptEnd, startAttemptEnd } from './attempt-end.ts'
import { createAttemptsInFlight } from './attempts-in-flight.ts'
import { type Connection, createConnection, type ExchangeResult } from './connection.ts'
import { createConnectionPool } from './connection-pool.ts'
import { createConnector } from './connector.ts'
import { createDnsResolver, type Resolve } from './dns-resolver.ts'
import { type EgressProxy, readEgressProxy } from './egress-proxy.ts'
import { requestBytes } from './request-bytes.ts'
import { createTargetReader, type ReadTarget } from './target-reader.ts'
import type { NoConnection, Transport, TransportOutcome } from './transport.ts'

export interface HttpsTransportOptions {
  /**
   * Where requests may go; by default, to public addresses over HTTPS. The policy is read once, so a changed policy
   * needs a new transport.
   */
  readonly addressPolicy?: AddressPolicy | undefined
  /**
   * Time limit of the whole attempt, from `send` to the end of the body, in milliseconds. Default 15,000, at most
   * 30,000.
   */
  readonly deadlineMs?: number | undefined
  /** Time limit of the DNS lookup, in milliseconds. Default 5,000. */
  readonly lookupTimeoutMs?: number | undefined
  /** Time limit of connecting and TLS together, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number | undefined
  /** PEM certificates to trust besides the runtime's own roots. */
  readonly extraCaCertificates?: readonly string[] | undefined
  /**
   * The maximum number of idle connections to one host. Default 500, like the worker's option `perHost`. If it is lower
   * than the number of concurrent requests to a host, each burst of deliveries needs new handshakes.
   */
  readonly maxIdleSocketsPerTarget?: number | undefined
  /**
   * The maximum number of idle connections in all; 0 keeps none. Default 2,048. With more targets than this, most
   * requests need a handshake (1.5 ms).
   */
  readonly maxIdleSockets?: number | undefined
  /**
   * How long a connection may be idle, in milliseconds, unless the target's `keep-alive` asks for less. Default 30,000.
   */
  readonly idleSocketMs?: number | undefined
  /** The age, in milliseconds, at which a connection is closed after its current request. Default 60,000. */
  readonly socketLifeMs?: number | undefined
  /**
   * Looks names up; by default, with the system's name servers (`createDnsResolver`). The policy is applied to every
   * answer.
   */
  readonly resolve?: Resolve | undefined
  /**
   * A proxy for all requests; none by default. It looks up names and checks their addresses, so `resolve` is not
   * called. The transport still checks URLs and IP literals. Proxy environment variables are ignored.
   */
  readonly egressProxy?: EgressProxy | undefined
  /** A monotonic clock in milliseconds, for durations and ages. Default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/** The longest allowed deadline, in milliseconds. */
export const MAX_DEADLINE_MS = 30_000

/**
 * The default transport for Node, Bun and Deno: HTTP/1.1 on `node:tls`. It connects only to addresses that the policy
 * allows (`provePinning` checks this on the current runtime). The diagram at {@link Connection} shows the life of a
 * connection. The transport does not follow redirects, store cookies, read proxy variables, send `accept-encoding` or
 * decompress.
 *
 * Targets may close idle connections at any time. A request on a reused connection that the target had already closed
 * is sent once more, on a new connection and within the same deadline. A target that did process the first copy
 * recognises the second by its `webhook-id`.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` for a number out of range, for a policy, proxy or certificate that
 *   cannot be read, and for `httpLoopbackHosts` with a proxy, because the proxy would use its own loopback.
 */
export function createHttpsTransport(options: HttpsTransportOptions = {}): Transport {
  const { addressPolicy = {}, resolve = createDnsResolver(), now = () => performance.now() } = options
  assertAddressPolicy(addressPolicy)
  const deadlineMs = within(options.deadlineMs ?? 15_000, 1, MAX_DEADLINE_MS, 'deadlineMs')
  const lookupTimeoutMs = within(options.lookupTimeoutMs ?? 5_000, 1, MAX_DEADLINE_MS, 'lookupTimeoutMs')
  const connectTimeoutMs = within(options.connectTimeoutMs ?? 5_000, 1, MAX_DEADLINE_MS, 'connectTimeoutMs')
  const idleMs = within(options.idleSocketMs ?? 30_000, 1, 600_000, 'idleSocketMs')
  const lifeMs = within(options.socketLifeMs ?? 60_000, 0, 3_600_000, 'socketLifeMs')
  const perTarget = within(options.maxIdleSocketsPerTarget ?? 500, 1, 10_000, 'maxIdleSocketsPerTarget')
  const total = within(options.maxIdleSockets ?? 2_048, 0, 100_000, 'maxIdleSockets')
  const proxy = options.egressProxy && readEgressProxy(options.egressProxy)
  if (proxy !== undefined && (addressPolicy.httpLoopbackHosts ?? []).length > 0)
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      'egressProxy and addressPolicy.httpLoopbackHosts cannot be combined.',
    )
  const secureContext = createSecureContext(options.extraCaCertificates ?? [])
  const readTarget = createTargetReader(addressPolicy)
  const connector = createConnector({
    resolve,
    judge: (address, protocol) => judgeAddress(address, addressPolicy, protocol),
    secureContext,
    lookupTimeoutMs,
    connectTimeoutMs,
    proxy,
  })
  /** Used only without a proxy: with a proxy, only the proxy knows the addresses. */
  const addressesOf = async (host: string): Promise<readonly string[]> => {
    const target = readTarget(`https://${host}/`) ?? readTarget(`http://${host}/`)
    if (target === undefined) return []
    return target.isAddress ? [target.hostname] : await connector.addressesOf(target)
  }
  const pool = createConnectionPool({ perOrigin: perTarget, total, idleMs, lifeMs, now })
  const inFlight = createAttemptsInFlight()
  let closed = false

  const exchange = async (target: ReadTarget, bytes: Uint8Array, end: AttemptEnd): Promise<ExchangeResult> => {
    const { origin } = target
    let connection = await pool.checkOut(origin, end)
    try {
      const result = await connection?.exchange(bytes, end)
      const stale = result?.kind === 'failed' && result.stale && end.reason() === undefined
      if (result !== undefined && !stale) return result
      const opened = await connector.connect(target, end)
      if ('reason' in opened) return { kind: 'failed', ...opened, stale: false }
      connection = createConnection(opened, { origin, now, onClose: pool.forget })
      return await connection.exchange(bytes, end)
    } finally {
      pool.checkIn(origin, connection)
    }
  }

  return {
    async send(request, signal) {
      const startedAt = now()
      const durationMs = (): number => Math.max(0, Math.round(now() - startedAt))
      const failed = ({ reason, cause }: NoConnection): TransportOutcome => ({
        kind: 'failed',
        reason,
        ...(cause && { cause }),
        durationMs: durationMs(),
      })
      if (closed || signal?.aborted) return failed({ reason: 'aborted' })
      const target = readTarget(request.url)
      if (target === undefined) return failed({ reason: 'blocked' })
      const bytes = requestBytes(target, request)
      const end = startAttemptEnd({ deadlineMs, leaseLeftMs: request.leaseLeftMs, now })
      const remove = inFlight.add(end, signal)
      try {
        const over = end.reason()
        if (over !== undefined) return failed({ reason: over })
        const result = await exchange(target, bytes, end)
        if (result.kind === 'failed') return failed(result)
        return { ...result, durationMs: durationMs() }
      } finally {
        end.over()
        remove()
      }
    },
    addressesOf: proxy === undefined ? addressesOf : undefined,
    close() {
      closed = true
      inFlight.abortAll()
      pool.close()
    },
  }
}

/**
 * All connections share one TLS context; otherwise each of them would parse some 150 certificates. `getCACertificates`
 * (Node 22.15 and later) includes the roots that `NODE_EXTRA_CA_CERTS` adds.
 */
function createSecureContext(extra: readonly string[]): tls.SecureContext {
  try {
    // Each certificate is parsed only to check it, because the context would silently skip one that it cannot read.
    for (const certificate of extra) new X509Certificate(certificate)
    if (extra.length === 0) return tls.createSecureContext({ minVersion: 'TLSv1.2' })
    const roots = typeof tls.getCACertificates === 'function' ? tls.getCACertificates('default') : tls.rootCertificates
    return tls.createSecureContext({ ca: [...roots, ...extra], minVersion: 'TLSv1.2' })
  } catch (cause) {
    throw new CallboardError('CONFIGURATION_INVALID', 'extraCaCertificates must be PEM certificates.', { cause })
  }
}

function within(value: number, min: number, max: number, option: string): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new CallboardError('CONFIGURATION_INVALID', `${option} must be a whole number from ${min} to ${max}.`)
}
