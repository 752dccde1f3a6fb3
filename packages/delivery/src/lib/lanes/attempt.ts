import type { SubscriptionRecord } from '@callboard/core'
import type { Engine, SeenAttempt } from '@callboard/core/engine'
import { type EventText, type LeasedDelivery, type LeasedLane, targetHost } from '@callboard/core/store'
import { isOutOfMemory } from '../http/failure-cause.ts'
import type { Transport, TransportOutcome, TransportRequest } from '../http/transport.ts'
import { signRequest } from '../signed-request.ts'
import { openSecrets } from '../signing-secrets.ts'
import type { StoreClock } from '../timing/store-clock.ts'
import { createOwnNetwork } from './own-network.ts'
import type { Obstacle } from './postponed-lanes.ts'
import { responseOutcome } from './response-outcome.ts'

const DEFAULT_PORT: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * The outcome of an attempt. `unprepared`: the request could not be built, so nothing was sent. `expired`: retention
 * has removed the event. `postponed`: an obstacle in this worker prevented the attempt, which therefore does not count.
 */
export type AttemptResult =
  | TransportOutcome
  | { readonly kind: 'unprepared' | 'expired'; readonly durationMs: number }
  | PostponedAttempt

export interface PostponedAttempt {
  readonly kind: 'postponed'
  readonly obstacle: Obstacle
  /** Whether the target may have received the request. */
  readonly wasSent: boolean
  readonly durationMs: number
}

/**
 * If the store's clock differs from this process's by more than this many milliseconds, a refused certificate says
 * nothing about the target.
 */
const WRONG_CLOCK_MS = 60_000

export interface AttemptRequest {
  readonly lane: LeasedLane
  readonly delivery: LeasedDelivery
  /** Whether personal data may be sent, according to a check that is at most a second old. */
  readonly personalData: boolean
  /** Milliseconds until the lane's lease ends. */
  readonly leaseLeftMs: () => number
  readonly signal: AbortSignal
}

/** Makes the attempts of a worker. */
export interface Attempts {
  /** Why this worker cannot make an attempt, although another worker may; undefined if it can. */
  obstacle(lane: LeasedLane, delivery: LeasedDelivery): Obstacle | undefined
  /** Makes one attempt: renders the event into one buffer, signs that buffer and sends it. Never rejects. */
  makeAttempt(request: AttemptRequest): Promise<AttemptResult>
}

export interface AttemptsOptions {
  readonly transport: Transport
  readonly clock: Pick<StoreClock, 'now' | 'offMs'>
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
}

export function createAttempts(
  { formats, headerNames, hooks, secretBox, telemetry }: Engine,
  { transport, clock, elapsed }: AttemptsOptions,
): Attempts {
  const network = createOwnNetwork(elapsed)
  const open = createSecretCache((id, sealed) => secretBox.open(id, sealed))
  const opened = new WeakMap<LeasedLane, Promise<string[]>>()

  /** Decrypts a lane's secrets once for all deliveries that were leased with it. */
  const secretsOf = (lane: LeasedLane): Promise<string[]> => {
    const known = opened.get(lane)
    if (known !== undefined) return known
    const { id } = lane.lease
    const secrets = openSecrets(lane.secrets, (sealed) => open(id, sealed), hooks.onError)
    opened.set(lane, secrets)
    return secrets
  }

  const prepare = (
    { lane, delivery, personalData, leaseLeftMs }: AttemptRequest,
    event: EventText,
    secret: readonly string[],
    traceparent: string | undefined,
  ): TransportRequest => {
    // `Buffer.from` uses the buffer pool; `TextEncoder` would allocate an array for each body.
    const body = Buffer.from(formats.render(event, personalData, lane.apiVersion))
    const { targetUrl: url, signatures } = lane
    const headers = traceparent === undefined ? undefined : { traceparent }
    const signed = { url, id: delivery.eventId, body, secret, signatures, now: clock.now() }
    return { ...signRequest({ ...signed, userAgent: headerNames.userAgent, headers }), leaseLeftMs }
  }

  const obstacleIn = ({ targetUrl }: LeasedLane, outcome: TransportOutcome): Obstacle | undefined => {
    const obstacle = network.judge(targetHost(targetUrl), outcome)
    if (obstacle !== undefined || outcome.kind === 'response') return obstacle
    const isClockWrong = outcome.reason.startsWith('certificate') && Math.abs(clock.offMs()) > WRONG_CLOCK_MS
    return isClockWrong ? { cause: 'clock', name: '' } : undefined
  }

  const post = async (request: AttemptRequest, event: EventText, traceparent?: string): Promise<AttemptResult> => {
    try {
      const secrets = await secretsOf(request.lane)
      const outcome = await transport.send(prepare(request, event, secrets, traceparent), request.signal)
      const obstacle = obstacleIn(request.lane, outcome)
      if (obstacle === undefined) return outcome
      const wasSent = outcome.kind === 'failed' && outcome.reason === 'timeout'
      return { kind: 'postponed', obstacle, wasSent, durationMs: outcome.durationMs }
    } catch (error) {
      if (isOutOfMemory(error)) {
        const obstacle = { cause: 'resources', name: '' } as const
        return { kind: 'postponed', obstacle, wasSent: false, durationMs: 0 }
      }
      // If the event or a secret cannot be read, that uses up an attempt. Otherwise the delivery would never end and
      // would keep delaying others.
      hooks.onError(error)
      return { kind: 'unprepared', durationMs: 0 }
    }
  }

  const observed = async (request: AttemptRequest, event: EventText, version: string): Promise<AttemptResult> => {
    if (telemetry === undefined) return post(request, event)
    const seen = seenAttempt(request, event, { version, deprecated: formats.isDeprecated(version) })
    return telemetry.attempt(seen, (traceparent) => post(request, event, traceparent))
  }

  const makeAttempt: Attempts['makeAttempt'] = async (request) => {
    const { lane, delivery } = request
    const { event } = delivery
    if (event === undefined) return { kind: 'expired', durationMs: 0 }
    const { version } = formats.served(lane.apiVersion)
    const result = await observed(request, event, version)
    if (isDelivered(result) && formats.isDeprecated(version)) {
      const { accountId, mode, id: subscriptionId } = lane.lease
      const { eventId } = delivery
      hooks.onDeprecatedDelivery({ accountId, mode, subscriptionId, eventId, type: event.type, version })
    }
    return result
  }
  return {
    obstacle({ apiVersion, secrets: [secret] }, { event }) {
      if (event === undefined) return undefined
      const key = secret && secretBox.missingKey(secret.sealed)
      if (key !== undefined) return { cause: 'key', name: key }
      const version = formats.unknownVersion(event, apiVersion)
      return version === undefined ? undefined : { cause: 'version', name: version }
    },
    makeAttempt,
  }
}

function isDelivered(result: AttemptResult): boolean {
  return result.kind === 'response' && responseOutcome(result.status) === 'delivered'
}

function seenAttempt(
  { lane, delivery }: AttemptRequest,
  { type }: EventText,
  format: Pick<SeenAttempt, 'version' | 'deprecated'>,
): SeenAttempt {
  const { accountId, mode, id: subscriptionId } = lane.lease
  const { eventId, attempts, trace } = delivery
  const target = targetOf(lane.targetUrl)
  return { accountId, mode, subscriptionId, eventId, type, ...format, number: attempts + 1, target, trace }
}

function targetOf(targetUrl: string): SeenAttempt['target'] {
  const url = URL.parse(targetUrl)
  if (url === null) return undefined
  return { host: url.hostname, port: url.port === '' ? (DEFAULT_PORT[url.protocol] ?? 443) : Number(url.port) }
}

const CACHED_SECRETS = 10_000

/** Caches the most recently used secrets in decrypted form, because AES-GCM decryption takes time. */
function createSecretCache(
  open: (id: string, sealed: string) => Promise<string>,
): (id: string, sealed: SubscriptionRecord['secrets'][number]['sealed']) => Promise<string> {
  const secrets = new Map<string, string>()
  return async (id, sealed) => {
    const key = `${id} ${sealed}`
    const secret = secrets.get(key) ?? (await open(id, sealed))
    secrets.delete(key)
    secrets.set(key, secret)
    const [oldest] = secrets.keys()
    if (secrets.size > CACHED_SECRETS && oldest !== undefined) secrets.delete(oldest)
    return secret
  }
}
