import type { Mode } from '../accounts/mode.ts'
import type { AttemptOutcome, AttemptRecord } from './delivery-store.ts'
import type { SubscriptionRef } from './subscription-store.ts'

/**
 * How a delivery stands: `pending` (not tried yet), `retrying`, `delivered`, or ended without success: `exhausted` (its tries
 * used up), `skipped` (by hand), `expired` (retention took the event), `disabled` (with its subscription).
 */
export type DeliveryState = 'pending' | 'retrying' | 'delivered' | EndedState

/** How a delivery ends without success. */
export type EndedState = 'exhausted' | 'skipped' | 'expired' | 'disabled'

/** An event and a subscription that it goes to. */
export interface DeliveryRecord {
  readonly subscriptionId: string
  readonly eventId: string
  readonly type: string
  readonly state: DeliveryState
  /** Tries on the schedule that runs, or ran last. */
  readonly tries: number
  /** Undefined: nothing is planned, or it goes out in its turn. */
  readonly nextTryAt: Date | undefined
  /** Undefined: there was none. */
  readonly lastAttempt: LastAttempt | undefined
}

export interface LastAttempt {
  readonly outcome: AttemptOutcome
  /** HTTP status; undefined: there was no response. */
  readonly status: number | undefined
  readonly reason: string | undefined
  readonly at: Date
}

/** An attempt as it is kept in the log. */
export interface LoggedAttempt extends AttemptRecord {
  readonly subscriptionId: string
  readonly startedAt: Date
}

export interface EventRef {
  readonly accountId: string
  readonly mode: Mode
  readonly eventId: string
}

/** @typeParam Place what a page goes on from. */
export interface DeliveryPageRequest<Place> {
  /** Only those in this state; undefined: all. */
  readonly state: DeliveryState | undefined
  /** Only those behind this place; undefined: from the newest. */
  readonly before: Place | undefined
  readonly limit: number
}

export interface DeliveryPage<Place> {
  /** Newest first. Fewer than the limit, or none, when many had to be looked at for a rare state. */
  readonly deliveries: readonly DeliveryRecord[]
  /** Where the next page goes on; undefined: this is the last. */
  readonly next: Place | undefined
}

export interface AttemptPageRequest {
  /** Only those older than this attempt; undefined: from the newest. */
  readonly before: string | undefined
  readonly limit: number
}

/**
 * What became of a resend. `scheduled`: it had ended, and has a new schedule that starts now. `hastened`: its retry is due now,
 * the tries kept. `pending`: it has not been tried and goes out in its turn. `expired`: retention has removed the event.
 */
export type ResendOutcome = 'scheduled' | 'hastened' | 'pending' | 'expired' | 'disabled' | 'unknown'

export interface ResendRange {
  readonly states: readonly ResendableState[]
  /** Published at this time or later. */
  readonly from: Date
  /** Published before this time; undefined: up to now. */
  readonly to: Date | undefined
  /** The position that the step before ended at; undefined: from the start. */
  readonly after: number | undefined
  /** Deliveries to look at, at most. */
  readonly limit: number
}

/** What ended and can still be sent, and what is tried again by itself, but later. */
export type ResendableState = Exclude<EndedState, 'expired'> | 'retrying'

export interface ResentStep {
  /** How many were sent again, or are tried earlier. */
  readonly resent: number
  /** When the last event that was looked at was published; undefined: none was, or they are gone. */
  readonly reachedAt: Date | undefined
  /** Where the next step goes on; undefined: this was the last. */
  readonly next: number | undefined
}

/** Deliveries as people see them: lists, and what is done by hand. The worker's side is `DeliveryStore`. */
export interface DeliveryLog {
  /**
   * The deliveries of a subscription, those last placed in the feed first, by pages that start behind a position in the feed.
   * What was sent to it by hand is among them; what has no place in the feed yet is not. Nothing for a subscription that is
   * removed or not there. A step looks at a bounded number of deliveries, whatever the size of the account.
   */
  page(
    ref: SubscriptionRef,
    request: DeliveryPageRequest<number> & { readonly type: string | undefined },
  ): Promise<DeliveryPage<number>>

  /** One delivery, as `page` would list it, and also before it has its place in the feed. */
  find(ref: SubscriptionRef, eventId: string): Promise<DeliveryRecord | undefined>

  /** The deliveries of an event, those to the newest subscriptions first, removed ones left out; goes on behind a subscription's id. */
  pageOfEvent(event: EventRef, request: DeliveryPageRequest<string>): Promise<DeliveryPage<string>>

  /** The attempts of a subscription, removed or not, newest first; of one event when it is named. */
  attempts(
    ref: SubscriptionRef,
    request: AttemptPageRequest & { readonly eventId: string | undefined },
  ): Promise<LoggedAttempt[]>

  /** The attempts of an event, for all subscriptions, newest first. */
  attemptsOfEvent(event: EventRef, request: AttemptPageRequest): Promise<LoggedAttempt[]>

  /**
   * Sends one event to one subscription again. An event of the same account and mode that was never the subscription's becomes
   * a delivery of its own.
   *
   * Whatever a worker does with the delivery at this moment, the two neither cancel nor double each other: if it is being sent and
   * that try succeeds, the resend is satisfied by it; if that try fails, the resend stands, due at once. A lane whose breaker is
   * open, or opens by that try, is probed now, not when its pause ends: whoever asks by hand has mended something.
   */
  resend(ref: SubscriptionRef, eventId: string): Promise<ResendOutcome>

  /**
   * Sends again what ended without success, one step of a range: the events that were published in it, oldest first. Each gets a
   * new schedule that starts now; what is `retrying`, if that is asked for, is due now, its tries kept. Of what was sent again before,
   * or is due, nothing is doubled or counted, however often a step is taken.
   */
  resendRange(ref: SubscriptionRef, range: ResendRange): Promise<ResentStep | 'disabled' | 'unknown'>
}
