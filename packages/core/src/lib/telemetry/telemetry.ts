import type { Mode } from '../accounts/mode.ts'
import type { PublishedEvent } from '../events/published-event.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { AttemptRecord, DeliveryGauges } from '../ports/delivery-store.ts'

/** An API request. `route` and `caller` may be set only by the time it is answered. */
export interface SeenRequest {
  /** The request id, which the caller gets in `x-request-id`. */
  readonly requestId: string
  /** The method, and the URL without its query. */
  readonly request: { readonly method: string; readonly url: string }
  /**
   * The endpoint's path with parameter names, such as `/v1/webhooks/subscriptions/:id`; undefined when none matched.
   */
  readonly route: string | undefined
  /** Undefined without a valid key. */
  readonly caller: Caller | undefined
}

/** An event about to be published. */
export interface SeenEvent {
  /** A type of the catalogue; undefined for an unknown type, which will be refused. */
  readonly type: string | undefined
  /** Taken from the publisher unchecked, like `mode`; both are valid only if the event is stored. */
  readonly accountId: string
  readonly mode: Mode
}

/** A delivery about to be attempted. */
export interface SeenAttempt {
  readonly accountId: string
  readonly mode: Mode
  readonly subscriptionId: string
  readonly eventId: string
  readonly type: string
  /** 1 for the first attempt. */
  readonly number: number
  /** The target without path and query, which are often secret; undefined when its URL cannot be parsed. */
  readonly target: { readonly host: string; readonly port: number } | undefined
  /** The trace in which the event was published, as {@link Telemetry.publish} passed it. */
  readonly trace: string | undefined
}

/** A recorded attempt without the response. */
export type SeenRecord = Omit<AttemptRecord, 'response'>

/** The outcome of an attempt: a status, or the reason why there was no response. */
export interface SeenOutcome {
  readonly kind: string
  readonly status?: number | undefined
  readonly reason?: string | undefined
}

/**
 * Observes Callboard's work for spans and metrics, as `@callboard/opentelemetry` does.
 *
 * A verb that gets work must start it exactly once, immediately, and return or throw what it returns or throws. A verb
 * that does not cannot affect the work: the work's caller gets the work's own result, and `onError` gets the error of
 * telemetry. The arguments contain no personal data, no secret, and only event types of the catalogue.
 */
export interface Telemetry {
  /** Wraps a request from its arrival to its response. */
  request<R extends { readonly status: number }>(request: SeenRequest, answer: () => Promise<R>): Promise<R>

  /**
   * Wraps a call of `publish` or `publishMany`. A W3C `traceparent` passed to `publish` is stored with the events and
   * handed to the worker; any other text is dropped.
   */
  publish(
    events: readonly SeenEvent[],
    publish: (trace: string | undefined) => Promise<PublishedEvent[]>,
  ): Promise<PublishedEvent[]>

  /** Wraps one attempt. A `traceparent` passed to `send` goes to the target as a header, where strangers read it. */
  attempt<O extends SeenOutcome>(
    attempt: SeenAttempt,
    send: (traceparent: string | undefined) => Promise<O>,
  ): Promise<O>

  /** Called after attempts were recorded. Attempts of a lost lease are never recorded. */
  recorded(attempts: readonly SeenRecord[]): void

  /** Called once at start-up with a function that reads the gauges. It costs one statement a call, and may reject. */
  observe(look: () => Promise<DeliveryGauges>): void
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether a text is a `traceparent` (W3C Trace Context, 3.2), which has no room for anything but ids and flags. */
export function isTraceparent(text: string): boolean {
  return TRACEPARENT.test(text)
}
