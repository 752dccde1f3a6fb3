import type { AccountMode } from './account-store.ts'
import type { SubscriptionRef } from './subscription-record.ts'

/** Identifies an event across all accounts. */
export interface EventKey extends AccountMode {
  readonly id: string
}

/** An event that may hold personal data. */
export interface ErasableEvent extends EventKey {
  readonly type: string
  readonly body: string
  /** Fingerprint of the paths that were declared as personal data when the event was stored or last erased. */
  readonly fingerprint: string
  /** Undefined if the event names no person, or was erased before. */
  readonly personId: string | undefined
}

/** An event from which to erase personal data, and what to store instead of the erased data. */
export interface ErasedEvent extends EventKey {
  /**
   * The event's fingerprint when it was read. If the stored fingerprint differs now, another call has erased the event,
   * and this call leaves the event unchanged.
   */
  readonly from: string
  /** The fingerprint to store, from `erasedFingerprint`. */
  readonly fingerprint: string
  /**
   * The envelope without any of the data that the event's type now declares as personal; undefined to keep the stored
   * envelope.
   */
  readonly body: string | undefined
  /** A keyed digest to store in place of the person's id; undefined to keep the stored digest, if there is one. */
  readonly personDigest: string | undefined
}

export interface PersonRef extends AccountMode {
  readonly personId: string
  /**
   * Digests of the person's id, one for each key of the platform's key ring. Any of these keys may have made the stored
   * digest.
   */
  readonly personDigests: readonly string[]
}

/** The fingerprint of each event type's current list of personal-data paths. */
export type CurrentPaths = readonly { readonly type: string; readonly fingerprint: string }[]

export interface ErasureWalk {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined
  /** Only events published before this time. */
  readonly publishedBefore: Date
  readonly current: CurrentPaths
  /** Only events after this one; undefined to start with the first. */
  readonly after: EventKey | undefined
  /** The most events to examine in this step. */
  readonly limit: number
}

export interface UnattributedWalk extends AccountMode {
  readonly current: CurrentPaths
  /** Only events whose id is greater; undefined to start with the first. */
  readonly after: string | undefined
  /** The most events to examine in this step. */
  readonly limit: number
}

export interface ErasureCounts {
  readonly events: number
  /** How many of the events were committed after the erasure began, by transactions that were open when it began. */
  readonly late: number
  /** How many stored responses were erased with the events. */
  readonly responses: number
}

/** The transactions that had published an event and were still open at the moment `since`. */
export interface OpenTransactions {
  readonly since: string
  /** An id for each transaction. Ids are reused, but not within minutes. */
  readonly publishing: readonly string[]
}

/** How long data is kept, in milliseconds, and how many responses are kept. */
export interface RetentionHorizons {
  /** How long events and their positions are kept after the event is published. */
  readonly eventsMs: number
  /** How long attempts are kept after the attempt starts. */
  readonly attemptsMs: number
  /** How long targets' responses are kept after the attempt starts. */
  readonly responsesMs: number
  /** How many of the newest responses of each subscription are kept. */
  readonly maxResponses: number
  /** How long removed subscriptions and their logs are kept after the subscription is removed. */
  readonly subscriptionsMs: number
  /**
   * How long entries of the audit trail are kept, and keys after they were revoked or expired. A key is kept as long as
   * a subscription that is not removed depends on it.
   */
  readonly auditMs: number
}

/** How many rows retention removed, and how many deliveries it ended. Deleted accounts are not counted. */
export interface RetentionCounts {
  readonly events: number
  /** Deliveries that had not been attempted when their event was removed, and ended as `expired`. */
  readonly expired: number
  readonly attempts: number
  readonly responses: number
  readonly subscriptions: number
  readonly auditEntries: number
  readonly keys: number
}

export const NOTHING_REMOVED: RetentionCounts = {
  events: 0,
  expired: 0,
  attempts: 0,
  responses: 0,
  subscriptions: 0,
  auditEntries: 0,
  keys: 0,
}

export interface RetentionStep extends RetentionCounts {
  /**
   * `done` when this step completed a pass over all data; `busy` when another caller is running retention, so this call
   * removed nothing.
   */
  readonly state: 'more' | 'done' | 'busy'
}

/**
 * Deliveries that expired before their first attempt, because retention removed their events. The events had positions
 * after `after`, up to and including `through`.
 */
export interface ExpiredRange {
  readonly after: number
  readonly through: number
  readonly deliveries: number
  readonly endedAt: Date
}

/** Erasure and retention, in steps so small that no other transaction is delayed noticeably. */
export interface MaintenanceStore {
  /** The transactions that have published an event and are still open. Their events cannot be read yet. */
  openTransactions(): Promise<OpenTransactions>

  /**
   * Lists at most `limit` events of a person, in any order: those that are not erased yet, and those that were erased
   * when their type had other personal-data paths than in `current`.
   */
  eventsOfPerson(person: PersonRef, current: CurrentPaths, limit: number): Promise<ErasableEvent[]>

  /**
   * Examines the next events, in the order of their `EventKey`s. Returns those that may still contain personal data:
   * events that have a patch (their stored personal data), events that name a person, and events that were stored or
   * last erased under a list of personal-data paths that is not in `walk.current`.
   *
   * `next` is the `after` of the next step; undefined after the last step. An event that exists from the first step to
   * the last is examined by one of them.
   */
  eventsBefore(walk: ErasureWalk): Promise<{ readonly events: ErasableEvent[]; readonly next: EventKey | undefined }>

  /**
   * Examines the next events, in the order of their ids. Returns, for each type, how many of these events may still
   * contain personal data but name no person.
   */
  countUnattributed(
    walk: UnattributedWalk,
  ): Promise<{ readonly types: ReadonlyMap<string, number>; readonly next: string | undefined }>

  /**
   * Removes each event's patch, person id and input digest, and the stored responses of its deliveries. Stores the new
   * values from `events`. An event counts as late if it was committed after `since`, a moment taken from the result of
   * {@link openTransactions}.
   *
   * Once this resolves, the erased data can no longer be read, and no further response to a delivery of these events is
   * stored.
   */
  erase(events: readonly ErasedEvent[], since: string): Promise<ErasureCounts>

  /**
   * Claims the next round of retention if it is due, and returns whether it did: only then should the caller run
   * retention. When several callers race, exactly one claims the round. The next round is due `everyMs` later. A round
   * that is more than `everyMs` away was scheduled with a longer interval and counts as due.
   */
  claimRetentionRound(everyMs: number): Promise<boolean>

  /**
   * Runs one step of retention, on at most `limit` rows of each kind. When several callers race, one call runs the step
   * and the others return `busy`. Each step continues where the previous one ended, whichever process ran it.
   *
   * Events are removed from the front of an account's feed, each together with its position, so no reader sees one
   * without the other. Events without a position are never removed, nor are the counters that number a subject's
   * events. An event that is leased for its first attempt stays until it is settled or its lease is older than
   * `leaseMs`.
   *
   * A lane that had not reached the removed events skips them, and an {@link ExpiredRange} records the skipped
   * deliveries. A retry whose event was removed is leased without the event and ends as `expired`.
   *
   * A pass also removes what deleted accounts still have: events that were committed after the deletion, and whatever
   * an interrupted deletion has left. Rows that an open transaction has locked are left to the next pass.
   */
  retain(horizons: RetentionHorizons, limit: number): Promise<RetentionStep>

  /** Lists a subscription's deliveries that expired before their first attempt, oldest first. */
  expiredRanges(ref: SubscriptionRef): Promise<ExpiredRange[]>
}
