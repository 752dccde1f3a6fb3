import type { AccountMode } from './account-store.ts'
import type { AuditDraft } from './audit-store.ts'
import { DELIVERY_STATES, type DeliveryRecord, type DeliveryState, type LoggedAttempt } from './delivery-record.ts'
import type { Subject } from './stored-event.ts'
import type { SubscriptionRecord, SubscriptionRef } from './subscription-record.ts'

/** A failed attempt, without the target's response. */
export interface FailedAttempt {
  readonly subscription: SubscriptionRecord
  readonly attempt: Omit<LoggedAttempt, 'response'>
  /** Undefined once retention has removed the event. */
  readonly event: { readonly type: string; readonly subject: Subject } | undefined
}

export interface EventRef extends AccountMode {
  readonly eventId: string
}

/**
 * @typeParam Place what identifies a place in the list: a position in the feed, or a subscription's id.
 */
export interface DeliveryPageRequest<Place> {
  /** Only deliveries in this state; undefined for all. */
  readonly state: DeliveryState | undefined
  /** Only deliveries older than the one at this place; undefined to start with the newest. */
  readonly before: Place | undefined
  readonly limit: number
}

/** Selects by when the event was published. */
export interface Published {
  /** Only events published at this time or later; undefined for no lower bound. */
  readonly from: Date | undefined
  /** Only events published before this time; undefined for no upper bound. */
  readonly to: Date | undefined
}

export interface DeliveryPage<Place> {
  /**
   * Newest first. When deliveries in a rare state would take too long to find, the page can hold fewer deliveries than
   * the limit, or none.
   */
  readonly deliveries: readonly DeliveryRecord[]
  /** The `before` of the next page; undefined on the last page. */
  readonly next: Place | undefined
}

export interface AttemptPageRequest {
  readonly eventId: string | undefined
  /** Only attempts older than the one with this id; undefined to start with the newest. */
  readonly before: string | undefined
  readonly limit: number
}

/**
 * The outcome of a resend.
 * - `scheduled`: the delivery had ended or did not exist, and has a new schedule that starts now.
 * - `hastened`: the delivery was retrying. Its retry is due now, and its earlier attempts still count.
 * - `pending`: the delivery has not been attempted yet and will be sent in its turn.
 * - `expired`: retention has removed the event.
 * - `disabled`: the subscription is disabled.
 * - `unknown`: the subscription or the event does not exist.
 */
export type ResendOutcome = 'scheduled' | 'hastened' | 'pending' | 'expired' | 'disabled' | 'unknown'

/**
 * The place where a step of `resendRange` ended: `position` is the last position that it examined. A delivery that
 * ended before its event was sequenced may have no position. A store may examine such deliveries last, in the order of
 * their event ids: `eventId` is the last of these ids that it examined, undefined before the first.
 */
export interface RangePlace {
  readonly position: number
  readonly eventId: string | undefined
}

export interface ResendRange {
  readonly states: readonly ResendableState[]
  /** Only events published at this time or later. */
  readonly from: Date
  /** Only events published before this time; undefined for no upper bound. */
  readonly to: Date | undefined
  /** The place at which the previous step ended; undefined for the first step. */
  readonly after: RangePlace | undefined
  /** The most deliveries to examine in this step. */
  readonly limit: number
}

/**
 * A state whose deliveries `resendRange` can resend. A `retrying` delivery becomes due now. A `pending` delivery keeps
 * its turn, but if the lane is paused, the lane is probed now.
 */
export type ResendableState = Exclude<DeliveryState, 'delivered' | 'expired'>
export const RESENDABLE_STATES: readonly ResendableState[] = DELIVERY_STATES.filter(
  (state) => state !== 'delivered' && state !== 'expired',
)

/**
 * The states of a delivery that should still arrive: every `ResendableState` except `skipped`, because somebody ended
 * the skipped deliveries on purpose.
 */
export const UNDELIVERED: readonly ResendableState[] = RESENDABLE_STATES.filter((state) => state !== 'skipped')

export interface ResentStep {
  /** How many ended deliveries got a new schedule, plus how many retries were made due now. */
  readonly resent: number
  /** How many deliveries the step found in the range, counted by the state that each had before the step. */
  readonly found: Partial<Readonly<Record<ResendableState, number>>>
  /**
   * When the newest examined event was published; undefined when no event was examined, or when retention has removed
   * all examined events.
   */
  readonly reachedAt: Date | undefined
  /** The `after` of the next step; undefined after the last step. */
  readonly next: RangePlace | undefined
}

/** Lists and resends deliveries on behalf of people. Workers use `DeliveryStore` instead. */
export interface DeliveryLog {
  /**
   * Lists the deliveries of a subscription, highest position first; `before` is a position in the feed. Includes
   * deliveries that exist only because of a resend, and excludes those of events without a position. The page is empty
   * when the subscription is removed or does not exist. A call examines a bounded number of deliveries.
   *
   * With `published`, leaves out deliveries whose event no longer exists, and a store may leave out those whose event was
   * sequenced more than ten minutes after it was published.
   */
  page(
    ref: SubscriptionRef,
    request: DeliveryPageRequest<number> & {
      readonly type: string | undefined
      readonly published?: Published | undefined
    },
  ): Promise<DeliveryPage<number>>

  /**
   * Reads one delivery as `page` would list it. Unlike `page`, also finds a delivery whose event has no position yet.
   */
  find(ref: SubscriptionRef, eventId: string): Promise<DeliveryRecord | undefined>

  /**
   * Lists the deliveries of an event to all subscriptions that are not removed, newest subscription first; `before` is
   * a subscription's id.
   */
  pageOfEvent(event: EventRef, request: DeliveryPageRequest<string>): Promise<DeliveryPage<string>>

  /**
   * Lists the attempts for the subscription `id`, for the event `eventId`, or for the event to the subscription, newest
   * first. Also lists those of removed subscriptions. One of the two ids must be given.
   */
  attempts(
    of: AccountMode & { readonly id?: string | undefined },
    request: AttemptPageRequest,
  ): Promise<LoggedAttempt[]>

  /**
   * Lists the last failed attempt of each delivery of an account, newest first. Leaves out removed subscriptions. A
   * store may look at only the newest `CAPS.failures` failed attempts.
   */
  newestFailures(owner: AccountMode, limit: number): Promise<FailedAttempt[]>

  /**
   * Resends one event to one subscription. If the subscription never received the event, this creates a new delivery;
   * the event must belong to the subscription's account and mode.
   *
   * A resend that races with a worker is never lost and sends nothing twice. If an attempt of the delivery is in flight
   * and succeeds, nothing more is sent. If that attempt fails, the delivery is due immediately.
   *
   * If the breaker of the lane is open, or the failed attempt opens it, the lane is probed now instead of after the
   * pause, because somebody who resends by hand has probably fixed the target.
   *
   * If the outcome is `scheduled` or `hastened`, the delivery comes first in the next lease of its lane, so it is the
   * probe if the breaker is open. Several such deliveries are leased in the order of the calls. If the outcome is
   * `pending`, the delivery is sent in its turn.
   *
   * Records `entry` in the same step if the outcome is `scheduled` or `hastened`.
   */
  resend(ref: SubscriptionRef, eventId: string, entry: AuditDraft): Promise<ResendOutcome>

  /**
   * Takes one step in resending the deliveries in `states` whose events were published in the range, oldest first. An
   * ended delivery gets a new schedule that starts now. A `retrying` delivery becomes due now, and its earlier attempts
   * still count. Unlike {@link resend}, this gives the deliveries no precedence over other due deliveries.
   *
   * Repeating a step is safe: deliveries that were already resent, or are already due, are neither duplicated nor
   * counted in `resent`.
   *
   * If an attempt of one of these deliveries is in flight and fails, the delivery is due immediately, as with
   * {@link resend}. If the lane is paused and the step found any delivery, the lane is probed now.
   *
   * The first step records `entry` if it resent anything or another step follows. Later steps continue the same request
   * and record nothing.
   */
  resendRange(ref: SubscriptionRef, range: ResendRange, entry: AuditDraft): Promise<ResentStep | 'disabled' | 'unknown'>

  /**
   * Counts what the same step of {@link resendRange} would do at this moment, and changes nothing: `resent` is how many
   * deliveries it would resend.
   */
  countRange(ref: SubscriptionRef, range: ResendRange): Promise<ResentStep | 'disabled' | 'unknown'>
}
