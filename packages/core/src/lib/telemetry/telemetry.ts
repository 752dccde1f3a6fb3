import type { Mode } from '../accounts/mode.ts'
import type { PublishedEvent } from '../events/published-event.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { AttemptRecord, DeliveryGauges } from '../ports/delivery-store.ts'

/** A request of the API. What is not known when it arrives is there once it is answered. */
export interface SeenRequest {
  /** What the caller is given in `x-request-id`. */
  readonly requestId: string
  /** The URL up to its query. */
  readonly request: { readonly method: string; readonly url: string }
  /** The endpoint's path with its parameters' names, as `/v1/webhooks/subscriptions/:id`; undefined: there is none. */
  readonly route: string | undefined
  readonly caller: Caller | undefined
}

/** An event that is about to be published. */
export interface SeenEvent {
  /** A name of the catalogue; undefined: the event's type is none, and it will be refused. */
  readonly type: string | undefined
  /** As the publisher gave them: an account's id and a mode only if the event is stored. */
  readonly accountId: string
  readonly mode: Mode
}

/** A delivery that is about to be tried. */
export interface SeenAttempt {
  readonly accountId: string
  readonly mode: Mode
  readonly subscriptionId: string
  readonly eventId: string
  readonly type: string
  /** 1 for the first. */
  readonly number: number
  /** Of the target no more than this: its path and query are often what keeps strangers out. Undefined: its URL cannot be read. */
  readonly target: { readonly host: string; readonly port: number } | undefined
  /** The trace that the event was published in, as {@link Telemetry.publish} gave it. */
  readonly trace: string | undefined
}

/** A try as it was written down, but for what the target answered. */
export type SeenRecord = Omit<AttemptRecord, 'response'>

/** What came of a try: a status, or why there was no response. */
export interface SeenOutcome {
  readonly kind: string
  readonly status?: number | undefined
  readonly reason?: string | undefined
}

/**
 * Sees what Callboard does while it does it, for spans and metrics: `@callboard/opentelemetry` makes one. Without one nothing is asked.
 *
 * A verb that is handed work starts it once and at once, gives back what it gives and throws what it throws. One that does otherwise
 * changes nothing: the work's caller gets what came of the work, `onError` what telemetry threw. What it is told holds no personal
 * data, no secret, and event types of the catalogue only.
 */
export interface Telemetry {
  /** A request, from its arrival to its answer. */
  request<R extends { readonly status: number }>(request: SeenRequest, answer: () => Promise<R>): Promise<R>

  /**
   * A call of `publish` or `publishMany`. What `publish` is given is kept with the events, for whoever delivers them: a W3C
   * `traceparent`, and nothing else is kept.
   */
  publish(
    events: readonly SeenEvent[],
    publish: (trace: string | undefined) => Promise<PublishedEvent[]>,
  ): Promise<PublishedEvent[]>

  /** One POST. What `send` is given goes to the target as its `traceparent` header; strangers read it. */
  attempt<O extends SeenOutcome>(
    attempt: SeenAttempt,
    send: (traceparent: string | undefined) => Promise<O>,
  ): Promise<O>

  /** Attempts that were written down; those of a lease that was lost are not among them. */
  recorded(attempts: readonly SeenRecord[]): void

  /** Called once: how to look at what waits, one statement each time, at whatever pace. A look may reject. */
  observe(look: () => Promise<DeliveryGauges>): void
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether a text is a `traceparent` (W3C Trace Context, 3.2): ids and flags, with room for nothing else. */
export function isTraceparent(text: string): boolean {
  return TRACEPARENT.test(text)
}
