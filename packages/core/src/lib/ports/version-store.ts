import type { SubscriptionRecord, SubscriptionRef } from './subscription-store.ts'

/** How many subscriptions and keys are pinned to a format version, over all accounts and modes. */
export interface PinnedCount {
  readonly version: string
  /** Subscriptions that are not removed. */
  readonly subscriptions: number
  /** Keys that are not revoked, expired or rotated. */
  readonly keys: number
}

/** Format versions over all accounts, for the platform's operators. */
export interface VersionStore {
  /** Counts what is pinned to each version, newest version first. Versions to which nothing is pinned are left out. */
  pinned(): Promise<PinnedCount[]>
  /**
   * Counts the stored events of each version that is not in `versions`. Versions are dates, newest first, in `versions`
   * as in the result. The store may stop after `limit` events between two neighbouring `versions`, before the first or
   * after the last. A count may then be too low, and a version may be missing.
   */
  eventsOutside(
    versions: readonly string[],
    limit: number,
  ): Promise<{ readonly version: string; readonly events: number }[]>
  /** Lists subscriptions that are pinned to a version and not removed, in a fixed order, after `after`. */
  subscriptionsIn(version: string, after: SubscriptionRef | undefined, limit: number): Promise<SubscriptionRecord[]>
  /** Pins every subscription and key that is pinned to `from` to `to` instead, and counts them. */
  move(from: string, to: string): Promise<Omit<PinnedCount, 'version'>>
}
