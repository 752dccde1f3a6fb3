import type { AuditDraft } from './audit-store.ts'
import type { SubscriptionRecord, SubscriptionRef } from './subscription-record.ts'

/** How many subscriptions and keys are pinned to a format version, across all accounts and modes. */
export interface PinnedCount {
  readonly version: string
  /** Subscriptions that are not removed. */
  readonly subscriptions: number
  /** Keys that are not revoked, expired or rotated. */
  readonly keys: number
}

/** Format versions across all accounts, for the platform's operators. */
export interface VersionStore {
  /**
   * Counts the subscriptions and keys that are pinned to each version. Returns the newest version first, and leaves out
   * versions to which nothing is pinned.
   */
  pinned(): Promise<PinnedCount[]>
  /**
   * Counts the stored events of each version that is not in `versions`. Versions are dates; `versions` and the result
   * are sorted, newest first.
   *
   * `versions` divides all other dates into gaps: after its newest version, between two successive versions, and before
   * its oldest. The store may stop after `limit` events in each gap. If a gap has more events, a count may be too low,
   * or a version may be missing.
   */
  eventsOutside(
    versions: readonly string[],
    limit: number,
  ): Promise<{ readonly version: string; readonly events: number }[]>
  /**
   * Lists at most `limit` subscriptions that are pinned to a version and not removed, in a fixed order. The list starts
   * after `after`, if it is given.
   */
  subscriptionsIn(version: string, after: SubscriptionRef | undefined, limit: number): Promise<SubscriptionRecord[]>
  /**
   * Moves all subscriptions and keys that are pinned to `from` to the version `to`. Returns how many it moved. If it
   * moved any, records `entry` in the same step, and adds the counts `subscriptions` and `keys` to its details.
   */
  moveVersion(from: string, to: string, entry: AuditDraft): Promise<Omit<PinnedCount, 'version'>>
}
