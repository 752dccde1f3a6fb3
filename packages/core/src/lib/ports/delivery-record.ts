import type { Subject } from './stored-event.ts'

/**
 * The state of a delivery.
 * - `pending`: not attempted yet.
 * - `retrying`: failed, and will be attempted again.
 * - `delivered`: succeeded.
 * - `exhausted`: failed on every attempt of its schedule.
 * - `skipped`: ended by `skipToNow`.
 * - `expired`: retention removed its event before it was delivered.
 * - `disabled`: ended because its subscription was disabled.
 */
export type DeliveryState = (typeof DELIVERY_STATES)[number]
export const DELIVERY_STATES = [
  'pending',
  'retrying',
  'exhausted',
  'disabled',
  'skipped',
  'delivered',
  'expired',
] as const

/** How a delivery ends without success. */
export type EndedState = Exclude<DeliveryState, 'pending' | 'retrying' | 'delivered'>

/** A delivery: one event on its way to one subscription. */
export interface DeliveryRecord {
  readonly subscriptionId: string
  readonly eventId: string
  readonly type: string
  /** When the event occurred. Both this and `subject` are undefined once retention has removed the event. */
  readonly occurredAt: Date | undefined
  readonly subject: Subject | undefined
  readonly state: DeliveryState
  /**
   * How many attempts were made on the current retry schedule, or on the last schedule if the delivery has ended.
   * Resending an ended delivery starts a new schedule.
   */
  readonly attempts: number
  /**
   * When the next attempt is due. Undefined when no attempt is planned, or when the delivery is pending and simply
   * waits for the deliveries before it. The facade and the API return the end of the subscription's pause if that is
   * later; a store does not consider pauses.
   */
  readonly nextAttemptAt: Date | undefined
  /**
   * When the subscription's pause ends, if this delivery waits for that. One of the waiting deliveries is attempted
   * then; the others wait until an attempt succeeds. Only the facade returns it.
   */
  readonly pausedUntil?: Date | undefined
  /** Undefined when there was no attempt, or when retention has removed the attempt. */
  readonly lastAttempt: LastAttempt | undefined
}

export interface LastAttempt {
  readonly outcome: AttemptOutcome
  /** HTTP status; undefined when there was no response. */
  readonly status: number | undefined
  /** A code for why there was no response; undefined when there was a response. */
  readonly reason: string | undefined
  readonly at: Date
}

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]
export const ATTEMPT_OUTCOMES = ['delivered', 'failed', 'exhausted', 'gone', 'expired'] as const

/**
 * One attempt and its outcome. If a reused connection closes within a second and before any byte of a response, the
 * HTTPS transport sends the request once more, on a new connection. Both requests are one attempt, with the outcome of
 * the second and the duration of both.
 */
export interface AttemptRecord {
  readonly id: string
  readonly eventId: string
  /** 1 for the first attempt. */
  readonly number: number
  readonly outcome: AttemptOutcome
  /** HTTP status; undefined when there was no response. */
  readonly status: number | undefined
  /**
   * Why there was no response: an `AttemptReason`, or a code that a newer version of Callboard recorded. Contains no
   * address.
   */
  readonly reason: string | undefined
  readonly durationMs: number
  /** The stored part of the response. */
  readonly response: string | undefined
}

/** An attempt in the log. */
export interface LoggedAttempt extends AttemptRecord {
  readonly subscriptionId: string
  readonly startedAt: Date
}
