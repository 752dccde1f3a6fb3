import type { Mode } from '../accounts/mode.ts'
import type { AttemptOutcome, AttemptRecord } from './delivery-store.ts'
import type { SubscriptionRef } from './subscription-store.ts'

/**
 * The state of a delivery.
 * - `pending`: not attempted yet.
 * - `retrying`: failed, and will be attempted again.
 * - `delivered`: succeeded.
 * - `exhausted`: failed on every attempt of its schedule.
 * - `skipped`: ended by hand, by `skipToNow`.
 * - `expired`: retention removed its event first.
 * - `disabled`: ended because its subscription was disabled.
 */
export type DeliveryState = 'pending' | 'retrying' | 'delivered' | EndedState

/** How a delivery ends without success. */
export type EndedState = 'exhausted' | 'skipped' | 'expired' | 'disabled'

/** A delivery: one event on its way to one subscription. */
export interface DeliveryRecord {
  readonly subscriptionId: string
  readonly eventId: string
  readonly type: string
  readonly state: DeliveryState
  /** Attempts on the current or last retry schedule. */
  readonly attempts: number
  /** Undefined when no attempt is planned, or when the delivery is sent in its turn. */
  readonly nextAttemptAt: Date | undefined
  /** Undefined when there was none, or retention has removed it. */
  readonly lastAttempt: LastAttempt | undefined
}

export interface LastAttempt {
  readonly outcome: AttemptOutcome
  /** HTTP status; undefined when there was no response. */
  readonly status: number | undefined
  /** Why there was no response, as a code; undefined when there was one. */
  readonly reason: string | undefined
  readonly at: Date
}

/** An attempt in the log. */
export interface LoggedAttempt extends AttemptRecord {
  readonly subscriptionId: string
  readonly startedAt: Date
}

export interface EventRef {
  readonly accountId: string
  readonly mode: Mode
  readonly eventId: string
}

/** @typeParam Place a place in the list, after which a page can start. */
export interface DeliveryPageRequest<Place> {
  /** Only deliveries in this state; undefined for all. */
  readonly state: DeliveryState | undefined
  /** Only deliveries older than this place; undefined to start with the newest. */
  readonly before: Place | undefined
  readonly limit: number
}

export interface DeliveryPage<Place> {
  /** Newest first. May be fewer than the limit, or none, when a rare state would take too long to find. */
  readonly deliveries: readonly DeliveryRecord[]
  /** The `before` of the next page; undefined on the last page. */
  readonly next: Place | undefined
}

export interface AttemptPageRequest {
  /** Only attempts older than the one with this id; undefined to start with the newest. */
  readonly before: string | undefined
  readonly limit: number
}

/**
 * The outcome of a resend.
 * - `scheduled`: the delivery had ended and has a new schedule that starts now.
 * - `hastened`: its retry is due now and keeps its attempts.
 * - `pending`: not attempted yet; it is sent in its turn.
 * - `expired`: retention has removed the event.
 * - `disabled`: the subscription is disabled.
 * - `unknown`: the subscription or the event does not exist.
 */
export type ResendOutcome = 'scheduled' | 'hastened' | 'pending' | 'expired' | 'disabled' | 'unknown'

export interface ResendRange {
  readonly states: readonly ResendableState[]
  /** Only events published at this time or later. */
  readonly from: Date
  /** Only events published before this time; undefined for no end. */
  readonly to: Date | undefined
  /** The position at which the previous step ended; undefined for the first step. */
  readonly after: number | undefined
  /** Deliveries to examine, at most. */
  readonly limit: number
}

/** A state from which a range of deliveries can be resent. A `retrying` delivery is attempted earlier than planned. */
export type ResendableState = Exclude<EndedState, 'expired'> | 'retrying'

export interface ResentStep {
  /** How many deliveries were rescheduled or hastened. */
  readonly resent: number
  /** When the newest event examined was published; undefined when none was examined or all are gone. */
  readonly reachedAt: Date | undefined
  /** The `after` of the next step; undefined after the last step. */
  readonly next: number | undefined
}

/** Deliveries as people see and resend them. The worker's side is `DeliveryStore`. */
export interface DeliveryLog {
  /**
   * Lists the deliveries of a subscription, highest position first; `before` is a position. Includes events that were
   * sent to it by hand, and leaves out events without a position. Empty for a subscription that is removed or does not
   * exist. A call examines a bounded number of deliveries, whatever the size of the account.
   */
  page(
    ref: SubscriptionRef,
    request: DeliveryPageRequest<number> & { readonly type: string | undefined },
  ): Promise<DeliveryPage<number>>

  /** Reads one delivery as `page` would list it, even before its event has a position. */
  find(ref: SubscriptionRef, eventId: string): Promise<DeliveryRecord | undefined>

  /**
   * Lists the deliveries of an event, newest subscription first, without removed ones; `before` is a subscription's id.
   */
  pageOfEvent(event: EventRef, request: DeliveryPageRequest<string>): Promise<DeliveryPage<string>>

  /** Lists the attempts of a subscription, even a removed one, newest first; only those of one event if it is given. */
  attempts(
    ref: SubscriptionRef,
    request: AttemptPageRequest & { readonly eventId: string | undefined },
  ): Promise<LoggedAttempt[]>

  /** Lists the attempts of an event for all subscriptions, newest first. */
  attemptsOfEvent(event: EventRef, request: AttemptPageRequest): Promise<LoggedAttempt[]>

  /**
   * Resends one event to one subscription. An event of the same account and mode that the subscription never received
   * becomes a new delivery.
   *
   * Racing with a worker neither cancels nor duplicates the resend. If the delivery is being sent at this moment,
   * success of that attempt completes the resend; after its failure the delivery is due at once. A lane whose breaker
   * is open, or is opened by that attempt, is probed now instead of after its pause, because somebody has probably
   * fixed the target.
   */
  resend(ref: SubscriptionRef, eventId: string): Promise<ResendOutcome>

  /**
   * Resends the deliveries in `states` whose events were published in the range, one step at a time, oldest first. An
   * ended delivery gets a new schedule that starts now; a `retrying` one becomes due now and keeps its attempts.
   * Repeating a step is safe: deliveries already resent or due are neither duplicated nor counted.
   */
  resendRange(ref: SubscriptionRef, range: ResendRange): Promise<ResentStep | 'disabled' | 'unknown'>
}
