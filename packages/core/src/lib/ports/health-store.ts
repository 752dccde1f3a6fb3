import type { Mode } from '../accounts/mode.ts'
import type { LastAttempt } from './delivery-log.ts'
import type { SubscriptionRecord, SubscriptionRef } from './subscription-store.ts'

/** Attempts of one hour, of those that sent something. */
export interface HourCount {
  /** When the hour began; hours are those of UTC. */
  readonly at: Date
  readonly delivered: number
  readonly failed: number
}

/** How a subscription does. Of one that is disabled, how it did. */
export interface SubscriptionHealth {
  /** Since when, and with how many tries, it has only failed; undefined: the last visit to its target delivered something, or there was none. */
  readonly failing: { readonly since: Date; readonly tries: number } | undefined
  /** Its breaker is open: nothing is sent until then; undefined: it is closed, or being probed. */
  readonly pausedUntil: Date | undefined
  /** Deliveries that wait for another try; {@link COUNTED_RETRIES} stands for so many or more. None of one that is disabled. */
  readonly retriesWaiting: number
  /** When the event that comes next was published, of those that have their place in the feed and were not tried yet; undefined: none waits. */
  readonly oldestPendingAt: Date | undefined
  /** Undefined: there was none, or it is no longer kept. */
  readonly lastAttempt: (LastAttempt & { readonly eventId: string; readonly durationMs: number }) | undefined
  /** The last 24 hours of the store's clock, the one that runs included, oldest first; hours without attempts are among them. */
  readonly hours: readonly HourCount[]
}

export interface SubscriptionWithHealth extends SubscriptionRecord {
  readonly health: SubscriptionHealth
}

/** `failing`: active, and its last tries failed. */
export type OverviewState = 'active' | 'disabled' | 'failing'

export interface OverviewRequest {
  readonly accountId: string
  readonly mode: Mode
  /** Undefined: all. */
  readonly state: OverviewState | undefined
  /** A part of target URL, external reference, integration or description, as plain text, the letters A to Z in either case; undefined: all. */
  readonly search: string | undefined
  /** Only those older than the subscription of this id; undefined: from the newest. */
  readonly before: string | undefined
  readonly limit: number
}

/** How many subscriptions an account has; {@link COUNTED_SUBSCRIPTIONS} stands for so many or more. */
export interface SubscriptionCounts {
  readonly all: number
  readonly failing: number
  readonly disabled: number
}

export interface OverviewPage {
  /** Newest first. Fewer than the limit, or none, when many had to be looked at for a search. */
  readonly subscriptions: readonly SubscriptionWithHealth[]
  /** The id behind which the next page goes on; undefined: this is the last. */
  readonly next: string | undefined
  /** Of the account and mode, whatever was asked for. */
  readonly counts: SubscriptionCounts
}

/** Retries of a subscription that are counted, at most. */
export const COUNTED_RETRIES = 100
/** Subscriptions that are counted, at most. */
export const COUNTED_SUBSCRIPTIONS = 1000

/** How subscriptions do, for people who look at many at once. A look takes as long in an account of 10,000 as in a small one. */
export interface HealthStore {
  /** Subscriptions that are not removed, and how they do; those made last come first. */
  overview(request: OverviewRequest): Promise<OverviewPage>

  /** One of them; undefined when it is not there. */
  find(ref: SubscriptionRef): Promise<SubscriptionWithHealth | undefined>
}
