import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { AttemptRecord } from './delivery-record.ts'
import type { LaneLease, LeasedLane } from './leased-lane.ts'
import type { SubscriptionRef } from './subscription-record.ts'

export interface RetryRecord {
  readonly eventId: string
  /** Attempts so far. */
  readonly attempts: number
  /**
   * Milliseconds from the settlement until the retry is due, by the store's clock. Undefined for a waiting delivery,
   * which becomes due once it no longer has to wait for an earlier event of its subject.
   */
  readonly delayMs: number | undefined
  readonly suspect: boolean
  readonly redacted: boolean
  /** As `LeasedDelivery.backfilled`; false by default. No other delivery of its subject waits for it. */
  readonly backfilled?: boolean | undefined
}

/** A worker's report on a lane that it has leased. The store applies all durations by its own clock. */
export interface LaneSettlement {
  readonly lease: LaneLease
  readonly settledThrough: number
  /**
   * `LeasedLane.backfill`, once every backfilled delivery of the lease has ended or is waiting as a retry. By default,
   * the backfill keeps its place.
   */
  readonly backfill?: LeasedLane['backfill']
  readonly attempts: readonly AttemptRecord[]
  /** Deliveries to attempt again; each replaces an existing retry of the same event. */
  readonly retries: readonly RetryRecord[]
  /** Ids of the events whose delivery has ended, successfully or not. */
  readonly ended: readonly string[]
  /**
   * The subjects of all deliveries that ended or are waiting. For each of them, the next delivery becomes due if it no
   * longer has to wait for an earlier event. Listing more subjects does no harm.
   */
  readonly subjects: readonly string[]
  /** Consecutive failures of the lane, including those that this settlement reports. */
  readonly breakerFailures: number
  readonly succeeded: boolean
  /** How many of the reported attempts failed. */
  readonly failedAttempts: number
  /** Whether the lane's target counts as slow or failing from now on. */
  readonly slow: boolean
  /** How long an open breaker pauses the lane; 0 while the breaker is closed. */
  readonly pauseMs: number
  /**
   * How long the lane waits although it has work, because its worker cannot send that work but another worker may; 0 by
   * default. Ignored while the breaker pauses the lane.
   */
  readonly postponeMs?: number | undefined
  readonly disable: DisabledReason | undefined
  /**
   * True keeps the lease, with its epoch and expiry, because requests are open or still to be sent; false ends the
   * lease. With attempts, it is a part of a visit: the lease still counts as unsettled, because an open request may
   * crash the worker. A part that is settled again, because the answer to the first call was lost, changes nothing.
   */
  readonly keep: boolean
}

/** When a subscription that keeps failing is reported, and when it is disabled. */
export interface FailingRule {
  /**
   * Disables a subscription that has had at least this many failed attempts since its last success, if the first of
   * them failed at least `durationMs` ago.
   */
  readonly attempts: number
  readonly durationMs: number
  /**
   * After a failed attempt, the subscription is reported if it has had at least `report.attempts` failed attempts since
   * its last success, or if the first of these attempts failed at least `report.afterMs` ago.
   */
  readonly report: { readonly attempts: number; readonly afterMs: number }
}

/** A subscription whose attempts have failed since its last success. */
export interface FailingSubscription extends SubscriptionRef {
  /** When the first of these attempts failed. */
  readonly since: Date
  readonly attempts: number
}

export interface SettleResult {
  /** Leases that were already lost. Nothing was recorded for them. */
  readonly fenced: readonly LaneLease[]
  /** Subscriptions that this call disabled. */
  readonly disabled: readonly (SubscriptionRef & { readonly reason: DisabledReason })[]
  /** Subscriptions that this call found failing for the first time since their last success. */
  readonly failing: readonly FailingSubscription[]
  /** Subscriptions that an earlier call found failing, and that have a successful attempt in this call. */
  readonly recovered: readonly SubscriptionRef[]
  /**
   * Milliseconds until the first of the settled lanes is due again, because of a retry, a probe or newer events; 0 if
   * one is due now, undefined if none has more work.
   */
  readonly dueInMs: number | undefined
}
