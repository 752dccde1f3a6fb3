import type { Mode } from '../accounts/mode.ts'
import type { PublishedEvent } from '../events/published-event.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { DeliveryGauges } from '../ports/delivery-gauges.ts'
import type { EventRef } from '../ports/delivery-log.ts'
import type { AttemptRecord } from '../ports/delivery-record.ts'

/** An API request. `route` and `caller` may still be undefined until the request is answered. */
export interface SeenRequest {
  /** The request id, which the caller gets in `x-request-id`. */
  readonly requestId: string
  /** The method, and the URL without its query. */
  readonly request: { readonly method: string; readonly url: string }
  /**
   * The endpoint's path with the names of its parameters, such as `/v1/webhooks/subscriptions/:id`; undefined when no
   * endpoint matched.
   */
  readonly route: string | undefined
  /** Undefined when the request has no valid key. */
  readonly caller: Caller | undefined
}

/** An event about to be published. */
export interface SeenEvent {
  /** A type of the catalogue; undefined for an unknown type, which will be refused. */
  readonly type: string | undefined
  /**
   * `accountId` and `mode` are the publisher's unchecked input. They are known to be valid only once the event is
   * stored.
   */
  readonly accountId: string
  readonly mode: Mode
}

/** A delivery about to be attempted. */
export interface SeenAttempt extends EventRef {
  readonly subscriptionId: string
  readonly type: string
  /** The format version that the subscription gets, and whether it is deprecated. */
  readonly version: string
  readonly deprecated: boolean
  /** 1 for the first attempt. */
  readonly number: number
  /** The target without path and query, which are often secret; undefined when its URL cannot be parsed. */
  readonly target: { readonly host: string; readonly port: number } | undefined
  /** The `traceparent` that {@link Telemetry.publish} passed to its callback when the event was published. */
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
 * A method that wraps work must start the work exactly once, immediately, and return its result or throw its error. If
 * a method breaks this rule, the caller still gets the work's own result, and `onError` gets the telemetry's error.
 *
 * The arguments contain no personal data, no secret, and no event type from outside the catalogue.
 */
export interface Telemetry {
  /** Wraps a request from its arrival to its response. */
  request<R extends { readonly status: number }>(request: SeenRequest, answer: () => Promise<R>): Promise<R>

  /**
   * Wraps a call of `publish` or `publishMany`. A W3C `traceparent` passed to the callback `publish` is stored with the
   * events, and the worker receives it with them. Any other string is ignored.
   */
  publish(
    events: readonly SeenEvent[],
    publish: (trace: string | undefined) => Promise<PublishedEvent[]>,
  ): Promise<PublishedEvent[]>

  /**
   * Wraps one attempt. A `traceparent` passed to the callback `send` is sent to the target as a header, so the receiver
   * can read it.
   */
  attempt<O extends SeenOutcome>(
    attempt: SeenAttempt,
    send: (traceparent: string | undefined) => Promise<O>,
  ): Promise<O>

  /**
   * Called after attempts are recorded. A worker that loses its lease before it records an attempt never records it, so
   * this method is not called for that attempt.
   */
  recorded(attempts: readonly SeenRecord[]): void

  /**
   * Called once at start-up with a function that reads the gauges. Each call of that function runs one database
   * statement, and can reject.
   */
  observe(look: () => Promise<DeliveryGauges>): void
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Whether a string is a `traceparent` (W3C Trace Context, 3.2). A `traceparent` contains only ids and flags, so it
 * cannot contain personal data.
 */
export function isTraceparent(text: string): boolean {
  return TRACEPARENT.test(text)
}
