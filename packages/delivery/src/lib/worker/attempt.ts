import type { Engine, SeenAttempt } from '@callboard/core/engine'
import type { EventText, LeasedDelivery, LeasedLane, SealedSecret } from '@callboard/core/store'
import { signRequest } from '../signed-request.ts'
import type { Transport, TransportOutcome, TransportRequest } from '../transport.ts'

const DEFAULT_PORT: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** What a try came to; `unprepared` never left this process, and of what retention has overtaken there was nothing to send. */
export type Tried = TransportOutcome | { readonly kind: 'unprepared' | 'expired'; readonly durationMs: number }

export interface TryRequest {
  readonly lane: LeasedLane
  readonly delivery: LeasedDelivery
  /** Whether personal data may be sent, as asked at most a second ago. */
  readonly personalData: boolean
  readonly signal: AbortSignal
}

/** One POST of one event: the body's bytes are made, signed and sent from one buffer. Never rejects. */
export function createAttempt(
  { hooks, now, renderEvent, secretBox, telemetry }: Engine,
  transport: Transport,
): (request: TryRequest) => Promise<Tried> {
  const open = createSecretCache((id, sealed) => secretBox.open(id, sealed))
  const opened = new WeakMap<LeasedLane, Promise<string[]>>()

  /** Once for all that is sent of a lane: by text, they were looked up and made anew for each delivery. */
  const secretsOf = (lane: LeasedLane): Promise<string[]> => {
    const known = opened.get(lane)
    if (known !== undefined) return known
    const secrets = Promise.all(lane.secrets.map(({ sealed }) => open(lane.lease.id, sealed)))
    opened.set(lane, secrets)
    return secrets
  }

  const prepare = (
    { lane, delivery, personalData }: TryRequest,
    event: EventText,
    secret: readonly string[],
    traceparent: string | undefined,
  ): TransportRequest => {
    // Of the pool of buffers: what `TextEncoder` gives is allocated, and collected, each by itself.
    const body = Buffer.from(renderEvent(event, personalData))
    const request = signRequest({ url: lane.targetUrl, id: delivery.eventId, body, secret, now: now() })
    if (traceparent !== undefined) request.headers['traceparent'] = traceparent
    return request
  }

  const post = async (request: TryRequest, event: EventText, traceparent?: string): Promise<Tried> => {
    try {
      const secrets = await secretsOf(request.lane)
      return await transport.send(prepare(request, event, secrets, traceparent), request.signal)
    } catch (error) {
      // A row that cannot be read or a secret that cannot be opened uses up a try, so that it ends, and others flow.
      hooks.onError(error)
      return { kind: 'unprepared', durationMs: 0 }
    }
  }

  return async (request) => {
    const { event } = request.delivery
    if (event === undefined) return { kind: 'expired', durationMs: 0 }
    if (telemetry === undefined) return post(request, event)
    return telemetry.attempt(seenAttempt(request, event), (traceparent) => post(request, event, traceparent))
  }
}

function seenAttempt({ lane, delivery }: TryRequest, { type }: EventText): SeenAttempt {
  const { accountId, mode, id: subscriptionId } = lane.lease
  const { eventId, tries, trace } = delivery
  const target = targetOf(lane.targetUrl)
  return { accountId, mode, subscriptionId, eventId, type, number: tries + 1, target, trace }
}

function targetOf(targetUrl: string): SeenAttempt['target'] {
  const url = URL.parse(targetUrl)
  if (url === null) return undefined
  return { host: url.hostname, port: url.port === '' ? (DEFAULT_PORT[url.protocol] ?? 443) : Number(url.port) }
}

const CACHED_SECRETS = 10_000

/** Opening costs an AES-GCM each time; a sealed text is opened once and kept while it is among the last used. */
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
