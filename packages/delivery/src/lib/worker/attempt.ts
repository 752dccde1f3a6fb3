import { type Engine, responseVerdict, type SeenAttempt } from '@callboard/core/engine'
import type { EventText, LeasedDelivery, LeasedLane, SealedSecret } from '@callboard/core/store'
import { signRequest } from '../signed-request.ts'
import type { Transport, TransportOutcome, TransportRequest } from '../transport.ts'

const DEFAULT_PORT: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * The outcome of an attempt. `unprepared`: the request could not be built, so nothing was sent. `expired`: retention
 * has removed the event.
 */
export type AttemptResult = TransportOutcome | { readonly kind: 'unprepared' | 'expired'; readonly durationMs: number }

export interface AttemptRequest {
  readonly lane: LeasedLane
  readonly delivery: LeasedDelivery
  /** Whether personal data may be sent, according to a check that is at most a second old. */
  readonly personalData: boolean
  /** Milliseconds until the lane's lease ends. */
  readonly leaseLeftMs: () => number
  readonly signal: AbortSignal
}

/**
 * Creates the function that makes one attempt: it renders the event into one buffer, signs that buffer and sends it.
 * Never rejects.
 */
export function createAttempt(
  { formats, hooks, now, secretBox, telemetry }: Engine,
  transport: Transport,
): (request: AttemptRequest) => Promise<AttemptResult> {
  const open = createSecretCache((id, sealed) => secretBox.open(id, sealed))
  const opened = new WeakMap<LeasedLane, Promise<string[]>>()

  const openSecrets = async ({ lease: { id }, secrets: [current, ...former] }: LeasedLane): Promise<string[]> => {
    if (current === undefined) return []
    // A former secret that cannot be decrypted is skipped: it may have been replaced because its encryption key was
    // lost.
    const left = former.map(({ sealed }) => open(id, sealed).catch((error: unknown) => hooks.onError(error)))
    return [await open(id, current.sealed), ...(await Promise.all(left)).flatMap((secret) => secret ?? [])]
  }

  /** Decrypts a lane's secrets once for all deliveries that were leased with it. */
  const secretsOf = (lane: LeasedLane): Promise<string[]> => {
    const known = opened.get(lane)
    if (known !== undefined) return known
    const secrets = openSecrets(lane)
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
    const request = signRequest({ url: lane.targetUrl, id: delivery.eventId, body, secret, now: now() })
    if (traceparent !== undefined) request.headers['traceparent'] = traceparent
    return { ...request, leaseLeftMs }
  }

  const post = async (request: AttemptRequest, event: EventText, traceparent?: string): Promise<AttemptResult> => {
    try {
      const secrets = await secretsOf(request.lane)
      return await transport.send(prepare(request, event, secrets, traceparent), request.signal)
    } catch (error) {
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

  return async (request) => {
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
}

function isDelivered(result: AttemptResult): boolean {
  return result.kind === 'response' && responseVerdict(result.status) === 'delivered'
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
): (id: string, sealed: SealedSecret['sealed']) => Promise<string> {
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
