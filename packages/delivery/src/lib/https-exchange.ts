import { type Agent, type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { canonicalAddress, type TargetUrl } from '@callboard/core'
import type { Resolve } from './dns-resolver.ts'
import { createKeptText } from './kept-text.ts'
import { createPinnedLookup } from './pinned-lookup.ts'
import { type ReadFirstTimer, startReadFirstTimer } from './read-first-timer.ts'
import type { TransportFailureReason, TransportRequest } from './transport.ts'
import { TunnelError } from './tunnel.ts'

/** Response headers, in bytes: Node's default, which a flag or NODE_OPTIONS can raise. */
const MAX_HEADER_BYTES = 16_384
/**
 * All that a target may send for one request, in bytes. Headers and kept body are 32 KiB together; what comes beside
 * them (informational responses, chunk extensions, trailers) has limits of its own on some runtimes only.
 */
const MAX_WIRE_BYTES = 131_072
/** A kept connection that the target had already closed says so within a round trip. */
const STALE_WITHIN_MS = 1_000

export interface ExchangeOptions {
  readonly target: TargetUrl
  readonly request: TransportRequest
  /** Of the target's protocol; brings the TLS options. */
  readonly agent: Agent
  readonly resolve: Resolve
  readonly judge: (address: string) => boolean
  /** The agent's connections are tunnels through the egress proxy: nothing is looked up or connected to from here. */
  readonly tunnelled: boolean
  readonly lookupTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly now: () => number
  /** When each open connection's address was found to be a judged one; an unknown connection is never used. */
  readonly verified: WeakMap<object, number>
  /** Ends the exchange; the reason `'timeout'` says that it was the deadline. */
  readonly signal: AbortSignal
}

export type ExchangeResult =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly retryAfter: string | undefined
      readonly date: string | undefined
      readonly body: string
      readonly truncated: boolean
    }
  | {
      readonly kind: 'failed'
      readonly reason: TransportFailureReason
      /** The request went out on a kept connection that seems to have been closed before it arrived. */
      readonly stale: boolean
    }

/** Connections that have carried a request. */
const used = new WeakSet<object>()

/** What a failure is called while each phase lasts. */
const BLAME = { lookup: 'dns', connect: 'connect', tls: 'tls', exchange: 'reset' } as const

/**
 * One request on one connection. The first end wins: a response, an error, a timer, or a mere `close` (a `101` without
 * an upgrade listener gives nothing else); whatever comes after it is swallowed. Once the headers are complete the
 * result is a response, whatever becomes of the body.
 */
export function exchange(options: ExchangeOptions): Promise<ExchangeResult> {
  const { target, request, agent, now, signal, tunnelled, verified } = options
  return new Promise((resolve) => {
    let phase: keyof typeof BLAME = target.isAddress || tunnelled ? 'connect' : 'lookup'
    let timer: ReadFirstTimer | undefined
    let stopCounting: (() => void) | undefined
    let reusedAt: number | undefined
    let finishResponse: ((truncated: boolean) => void) | undefined
    let ended = false

    const enter = (next: typeof phase, budgetMs?: number): void => {
      phase = next
      if (next !== 'tls') timer?.cancel()
      if (budgetMs !== undefined) timer = startReadFirstTimer(budgetMs, () => fail(BLAME[phase]))
    }
    const end = (result: ExchangeResult, destroy: boolean): void => {
      if (ended) return
      ended = true
      timer?.cancel()
      stopCounting?.()
      signal.removeEventListener('abort', onAbort)
      resolve(result)
      if (destroy) outgoing.destroy()
    }
    const fail = (reason: TransportFailureReason, stale = false): void => end({ kind: 'failed', reason, stale }, true)
    const onAbort = (): void => {
      if (finishResponse !== undefined) finishResponse(true)
      else fail(signal.reason === 'timeout' ? 'timeout' : 'aborted')
    }

    const pinnedLookup = createPinnedLookup({
      resolve: options.resolve,
      judge: options.judge,
      isListed: target.isListed,
      signal,
      onAsk: () => enter('lookup', options.lookupTimeoutMs),
      onAnswer: (result) => (result === 'judged' ? enter('connect', options.connectTimeoutMs) : fail(result)),
    })
    /** The literal itself was judged with the URL. */
    const isJudged = (address: string): boolean =>
      target.isAddress ? canonicalAddress(address) === canonicalAddress(target.hostname) : pinnedLookup.pinned(address)

    const outgoing = open(options, agent, pinnedLookup.lookup)
    signal.addEventListener('abort', onAbort, { once: true })
    // A tunnel has a timer of its own.
    if (target.isAddress && !tunnelled) enter('connect', options.connectTimeoutMs)

    outgoing.on('socket', (socket: Socket) => {
      // Deno 2.9 sends a request again, by itself and with no deadline, when a reused connection closes: even when it is
      // we who close it because the target is silent.
      outgoing.reusedSocket = false
      stopCounting = countBytes(socket, () => {
        if (finishResponse !== undefined) finishResponse(true)
        else fail('protocol')
      })
      if (used.has(socket)) reusedAt = now()
      used.add(socket)
      if (verified.has(socket)) return enter('exchange')
      if (tunnelled) return fail('blocked')
      socket.once('connect', () => {
        // Reset before anyone could ask where it ends: nothing was sent, and no policy has spoken.
        if (socket.remoteAddress === undefined) return fail('connect')
        if (!isJudged(socket.remoteAddress)) return fail('blocked')
        verified.set(socket, now())
        enter(target.protocol === 'https:' ? 'tls' : 'exchange')
      })
      socket.once('secureConnect', () => enter('exchange'))
      // A connection that nobody here has seen being made.
      if (!socket.connecting) fail('blocked')
    })

    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0
      if (status < 200 || status > 599) return fail('protocol')
      const kept = createKeptText()
      finishResponse = (truncated) => {
        if (ended) return
        const { 'retry-after': retryAfter, date } = incoming.headers
        // A connection on which either side is not done cannot carry another request.
        const destroy = truncated || !outgoing.writableFinished
        end({ kind: 'response', status, retryAfter, date, body: kept.read(), truncated }, destroy)
      }
      incoming.on('data', (chunk: Uint8Array) => {
        if (!kept.add(chunk)) finishResponse?.(true)
      })
      incoming.on('end', () => finishResponse?.(!incoming.complete))
      incoming.on('error', () => finishResponse?.(true))
      incoming.on('close', () => finishResponse?.(true))
    })

    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (finishResponse !== undefined) return finishResponse(true)
      if (error instanceof TunnelError) return fail(error.reason)
      const code = error.code ?? ''
      if (phase !== 'exchange') return fail(BLAME[phase])
      if (code.startsWith('HPE_')) return fail('protocol')
      // TLS 1.3 tells of a refused handshake only after the client has finished it.
      if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return fail('tls')
      fail('reset', reusedAt !== undefined && now() - reusedAt < STALE_WITHIN_MS)
    })
    outgoing.on('close', () => {
      if (finishResponse !== undefined) finishResponse(true)
      else fail(phase === 'exchange' ? 'protocol' : BLAME[phase])
    })
    outgoing.end(request.body)
  })
}

/** Calls `onExceeded` when a socket has received more than {@link MAX_WIRE_BYTES}; returns how to stop counting. */
function countBytes(socket: Socket, onExceeded: () => void): () => void {
  let received = 0
  const count = (chunk: Uint8Array): void => {
    received += chunk.byteLength
    if (received > MAX_WIRE_BYTES) onExceeded()
  }
  socket.on('data', count)
  return () => void socket.off('data', count)
}

function open(
  options: ExchangeOptions,
  agent: Agent,
  lookup: ReturnType<typeof createPinnedLookup>['lookup'],
): ClientRequest {
  const { target, request } = options
  const common = {
    agent,
    lookup,
    method: 'POST',
    hostname: target.hostname,
    port: target.port,
    path: target.path,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node gives up on each of several addresses after 250 ms, too little for a far one before an unreachable last one.
    autoSelectFamilyAttemptTimeout: 1_000,
    headers: { ...request.headers, 'content-length': String(request.body.byteLength) },
  }
  if (target.protocol === 'http:') return httpRequest(common)
  return httpsRequest({ ...common, servername: target.isAddress ? '' : target.hostname })
}
