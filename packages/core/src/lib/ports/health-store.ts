import type { Mode } from '../accounts/mode.ts'
import type { AttemptCount } from '../deliveries/count-attempts.ts'
import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { HeldBack } from '../workers/worker-report.ts'
import type { LastAttempt } from './delivery-record.ts'
import type { SubscriptionRecord, SubscriptionRef, SubscriptionSource } from './subscription-record.ts'

/**
 * The attempts of one minute, one hour, or one day in UTC. Leaves out attempts that sent nothing because their event no longer
 * existed.
 */
export interface PeriodCount extends AttemptCount {
  /** When the minute, the hour or the day began. */
  readonly at: Date
}

/** The last 24 hours, hour by hour; or the last 7 or 30 days including today, in UTC, day by day. */
export type ActivityRange = (typeof ACTIVITY_RANGES)[number]
export const ACTIVITY_RANGES = ['day', 'week', 'month'] as const

/** The health of a subscription. For a disabled subscription, this is the health before it was disabled. */
export interface SubscriptionHealth {
  /**
   * The failed attempts since the last success: when the first one failed, and how many have failed. Undefined when no
   * attempt has failed since the last success.
   */
  readonly failing: { readonly since: Date; readonly attempts: number } | undefined
  /**
   * When the pause of the open breaker ends and the lane can be probed; undefined while the breaker is closed or the
   * lane is being probed.
   */
  readonly pausedUntil: Date | undefined
  /**
   * When the lane is due, or when its lease expired; undefined while it is leased, while it has no work and while the
   * subscription is disabled.
   */
  readonly nextAttemptAt: Date | undefined
  /**
   * Whether deliveries contain personal data, by the rule in `lanes/standing.ts`. For a disabled subscription: whether
   * they would, if it were enabled with its present key.
   */
  readonly personalData: boolean
  /**
   * When the subscription was disabled; undefined while it is active. If the subscription was changed while disabled, a
   * store may return the time of that change instead.
   */
  readonly disabledAt: Date | undefined
  /**
   * Defined while the lane is due but waits, because workers have reached their limit of concurrent requests to the
   * target's host. Only workers that attend are considered.
   */
  readonly heldBack: HeldBack | undefined
  /**
   * Deliveries that wait for another attempt, capped at `CAPS.retries`; 0 when the subscription is disabled.
   */
  readonly retrying: number
  /**
   * When the event of the next pending delivery was published; undefined when no delivery is pending. Ignores events
   * that are not sequenced yet.
   */
  readonly oldestPendingAt: Date | undefined
  /** Undefined when there was no attempt, or when retention has removed the attempt. */
  readonly lastAttempt: (LastAttempt & { readonly eventId: string; readonly durationMs: number }) | undefined
  /** The last 24 hours by the store's clock, including the current hour and hours without attempts; oldest first. */
  readonly hours: readonly PeriodCount[]
}

export interface SubscriptionWithHealth extends SubscriptionRecord {
  readonly health: SubscriptionHealth
}

/** How the latest attempts of a subscription went. */
export interface AttemptHistory {
  /**
   * How long its newest attempts took, at most `CAPS.history` of them: half of the `attempts` took no longer than
   * `p50Ms`, and 95% no longer than `p95Ms`. Undefined when there were none.
   */
  readonly took: { readonly attempts: number; readonly p50Ms: number; readonly p95Ms: number } | undefined
  /**
   * The last 60 minutes by the store's clock, including the current one; oldest first. Each attempt counts in the minute
   * in which it began. Undefined when there were `CAPS.history` or more.
   */
  readonly minutes: readonly PeriodCount[] | undefined
  /** The last 30 days in UTC, including today; oldest first. */
  readonly days: readonly PeriodCount[]
}

/** `failing` selects active subscriptions with failed attempts since their last success. */
export type OverviewState = (typeof OVERVIEW_STATES)[number]
export const OVERVIEW_STATES = ['active', 'disabled', 'failing'] as const

/** Selects subscriptions by exact values; an omitted field selects all. */
export interface SubscriptionFilter {
  readonly source?: SubscriptionSource | undefined
  readonly integration?: string | undefined
  readonly externalRef?: string | undefined
  readonly targetUrl?: string | undefined
}

export interface OverviewRequest {
  readonly accountId: string
  readonly mode: Mode
  /** Undefined for all states. */
  readonly state: OverviewState | undefined
  /**
   * A string to find in the target URL, external reference, integration or description; undefined for all
   * subscriptions. Case is ignored only for the letters A to Z.
   */
  readonly search: string | undefined
  /** All subscriptions by default. */
  readonly only?: SubscriptionFilter | undefined
  /**
   * The `next` of the previous page; undefined to start with the newest. It has the form of an id (`sub_…`), but an
   * imported subscription may have another id.
   */
  readonly before: string | undefined
  readonly limit: number
}

/** How many subscriptions an account has, each count capped at `CAPS.subscriptions`. */
export interface SubscriptionCounts {
  readonly all: number
  readonly failing: number
  readonly disabled: number
}

export interface OverviewPage {
  /** Newest first. When a search or a filter would take too long, the page can hold fewer subscriptions than the limit, or none. */
  readonly subscriptions: readonly SubscriptionWithHealth[]
  /** The `before` of the next page; undefined on the last page. */
  readonly next: string | undefined
  /** Counts for the whole account and mode, regardless of the other conditions. */
  readonly counts: SubscriptionCounts
}

export interface ActivityRequest {
  readonly accountId: string
  readonly mode: Mode
  readonly range: ActivityRange
  /** The most subscriptions in {@link AccountActivity.slowest}. */
  readonly limit: number
}

/** From how many attempts on a subscription is compared with others by its average, which a single attempt would distort. */
export const ENOUGH_ATTEMPTS = 10

export interface SubscriptionActivity {
  readonly subscription: SubscriptionRecord
  /** The hours or days of the range, including the current one and those without attempts; oldest first. */
  readonly periods: readonly PeriodCount[]
}

/** The deliveries of an account and mode, all subscriptions together. */
export interface AccountActivity {
  readonly counts: SubscriptionCounts
  /** The attempts of all subscriptions, as in {@link SubscriptionActivity.periods}. */
  readonly periods: readonly PeriodCount[]
  /**
   * Pending deliveries of active subscriptions, capped at `CAPS.waiting`. A store may also count a few events
   * from just before a subscription was created or enabled.
   */
  readonly pending: number
  /** Retrying deliveries of active subscriptions, capped at `CAPS.waiting`. */
  readonly retrying: number
  /**
   * When the oldest event of the pending deliveries was published; undefined when none is pending. A store may look at
   * only the 20 lanes that are due first.
   */
  readonly oldestPendingAt: Date | undefined
  /**
   * The subscriptions whose attempts in the range took longest on average, slowest first. Those with fewer than
   * {@link ENOUGH_ATTEMPTS} attempts are left out, unless all have fewer.
   */
  readonly slowest: readonly SubscriptionActivity[]
}

export interface TroubledRequest {
  /** Only subscriptions of this account and mode, among its newest `CAPS.summed`; undefined for all accounts. */
  readonly owner: { readonly accountId: string; readonly mode: Mode } | undefined
  /** The most subscriptions of each kind. */
  readonly limit: number
  /** Of the disabled subscriptions, only those with one of these reasons. */
  readonly reasons: readonly DisabledReason[]
  /** How far back to look for subscriptions that were disabled, in milliseconds. */
  readonly latelyMs: number
  /** Work is late when it has waited for longer than this, in milliseconds. */
  readonly lateMs: number
}

/** Reads the health of subscriptions. A read takes the same time however many subscriptions the account has. */
export interface HealthStore {
  /** Lists the subscriptions that are not removed, each with its health, newest first. */
  overview(request: OverviewRequest): Promise<OverviewPage>

  /** Finds one subscription with its health; undefined when it does not exist or is removed. */
  findWithHealth(ref: SubscriptionRef): Promise<SubscriptionWithHealth | undefined>

  /** Sums up the attempts of one subscription; undefined when it does not exist or is removed. */
  history(ref: SubscriptionRef): Promise<AttemptHistory | undefined>

  /**
   * Sums up the deliveries of an account. `counts` covers all subscriptions; everything else covers the newest
   * `CAPS.summed`.
   */
  activity(request: ActivityRequest): Promise<AccountActivity>

  /**
   * Finds subscriptions that are in trouble, in any order. There are four kinds. For each kind, at most `limit`
   * subscriptions are returned, the worst ones:
   * - Active subscriptions with failed attempts since their last success. The worst have been failing for longest.
   * - Subscriptions that were disabled within the last `latelyMs` with one of `reasons`. The worst were disabled most
   *   recently.
   * - Subscriptions whose lane has been due for longer than `lateMs`, or whose lease has expired. The worst are the
   *   most overdue.
   * - Subscriptions whose lane is leased while their oldest pending event is late. Only some leased lanes are examined.
   */
  troubled(request: TroubledRequest): Promise<SubscriptionWithHealth[]>
}
