import type { Mode } from '../accounts/mode.ts'
import type { LastAttempt } from './delivery-log.ts'
import type { SubscriptionRecord, SubscriptionRef } from './subscription-store.ts'

/** The attempts of one hour that sent a request. */
export interface HourCount {
  /** When the hour began, in UTC. */
  readonly at: Date
  readonly delivered: number
  readonly failed: number
}

/** The health of a subscription; for a disabled one, as it was before. */
export interface SubscriptionHealth {
  /** The failed attempts since the last success, and when they began; undefined when none has failed since. */
  readonly failing: { readonly since: Date; readonly attempts: number } | undefined
  /**
   * When the open breaker lets the lane be probed; undefined while the breaker is closed or the lane is being probed.
   */
  readonly pausedUntil: Date | undefined
  /** Deliveries waiting for another attempt, capped at {@link COUNTED_RETRIES}; 0 when the subscription is disabled. */
  readonly retrying: number
  /**
   * When the event of the next pending delivery was published; undefined when none is pending. Ignores unsequenced
   * events.
   */
  readonly oldestPendingAt: Date | undefined
  /** Undefined when there was none, or retention has removed it. */
  readonly lastAttempt: (LastAttempt & { readonly eventId: string; readonly durationMs: number }) | undefined
  /** The last 24 hours by the store's clock, including the current one and hours without attempts; oldest first. */
  readonly hours: readonly HourCount[]
}

export interface SubscriptionWithHealth extends SubscriptionRecord {
  readonly health: SubscriptionHealth
}

/** `failing` selects active subscriptions whose last attempts failed. */
export type OverviewState = 'active' | 'disabled' | 'failing'

export interface OverviewRequest {
  readonly accountId: string
  readonly mode: Mode
  /** Undefined for all states. */
  readonly state: OverviewState | undefined
  /**
   * Plain text to find in target URL, external reference, integration or description; undefined for all subscriptions.
   * Only the letters A to Z match in either case.
   */
  readonly search: string | undefined
  /** Only subscriptions older than the one with this id; undefined to start with the newest. */
  readonly before: string | undefined
  readonly limit: number
}

/** How many subscriptions an account has, each count capped at {@link COUNTED_SUBSCRIPTIONS}. */
export interface SubscriptionCounts {
  readonly all: number
  readonly failing: number
  readonly disabled: number
}

export interface OverviewPage {
  /** Newest first. May be fewer than the limit, or none, when a search would take too long. */
  readonly subscriptions: readonly SubscriptionWithHealth[]
  /** The `before` of the next page; undefined on the last page. */
  readonly next: string | undefined
  /** Counts for the whole account and mode, regardless of state and search. */
  readonly counts: SubscriptionCounts
}

/** The highest number of retries counted for a subscription. */
export const COUNTED_RETRIES = 100
/** The highest number of subscriptions counted for an account. */
export const COUNTED_SUBSCRIPTIONS = 1000

/** Reads the health of subscriptions, in a time that does not depend on how many the account has. */
export interface HealthStore {
  /** Lists the subscriptions that are not removed with their health, newest first. */
  overview(request: OverviewRequest): Promise<OverviewPage>

  /** One subscription with its health; undefined when it does not exist or is removed. */
  find(ref: SubscriptionRef): Promise<SubscriptionWithHealth | undefined>
}
