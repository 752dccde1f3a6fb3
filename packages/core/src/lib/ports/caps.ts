/**
 * Where a store may stop looking or counting, because going on would be slow. A result that reaches its cap means "this
 * many or more".
 */
export const CAPS = {
  /** `FoundEvent.deliveries` counts the deliveries to at least this many subscriptions of each kind. */
  deliveries: 25,
  /** `SubscriptionHealth.retrying` counts up to this number. */
  retries: 100,
  /** `SubscriptionCounts` counts up to this number. */
  subscriptions: 1000,
  /** `AccountActivity` sums up the attempts and deliveries of this many subscriptions: the account's newest ones. */
  summed: 500,
  /** `AccountActivity.pending` and `retrying` count up to this number. */
  waiting: 1000,
  /** A lease examines at most this many events of a backfill. */
  backfill: 500,
  /** `DeliveryLog.newestFailures` may look at only this many failed attempts: the newest ones. */
  failures: 200,
  /** `HealthStore.history` looks at only this many attempts: the newest ones. */
  history: 1000,
  /** `Deliveries.countRange` examines this many deliveries. */
  counted: 10_000,
} as const
