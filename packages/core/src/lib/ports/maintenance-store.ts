import type { Mode } from '../accounts/mode.ts'
import type { SubscriptionRef } from './subscription-store.ts'

/** Identifies an event across all accounts. */
export interface EventKey {
  readonly accountId: string
  readonly mode: Mode
  readonly id: string
}

/** An event that may hold personal data. */
export interface ErasableEvent extends EventKey {
  readonly type: string
  readonly body: string
  readonly fingerprint: string
}

/** An event to erase, and the text to keep of it. */
export interface ErasedEvent extends EventKey {
  /**
   * The fingerprint with which it was read. If the stored one differs, another call has erased it and nothing is
   * written.
   */
  readonly from: string
  /** The envelope without everything that is personal data by now; undefined to keep the stored text. */
  readonly body: string | undefined
}

export interface PersonRef {
  readonly accountId: string
  readonly mode: Mode
  readonly personId: string
}

export interface ErasureWalk {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined
  /** Only events published before this time. */
  readonly publishedBefore: Date
  /** Today's fingerprint of each event type. An event with this fingerprint and no patch contains no personal data. */
  readonly current: readonly { readonly type: string; readonly fingerprint: string }[]
  /** Only events after this one; undefined to start with the first. */
  readonly after: EventKey | undefined
  /** Events to examine, at most. */
  readonly limit: number
}

export interface ErasureCounts {
  readonly events: number
  /** Stored responses erased with the events. */
  readonly responses: number
}

/** How long data is kept, in milliseconds. */
export interface RetentionHorizons {
  /** Events and their positions, from publication. */
  readonly eventsMs: number
  /** Attempts, from their start. */
  readonly attemptsMs: number
  /** Responses of targets, from the start of the attempt. */
  readonly responsesMs: number
  /** Removed subscriptions and their logs, from removal. */
  readonly subscriptionsMs: number
}

/** Numbers of rows that retention removed. */
export interface RetentionCounts {
  readonly events: number
  /** Deliveries that had not been attempted when their event was removed, and ended as `expired`. */
  readonly expired: number
  readonly attempts: number
  readonly responses: number
  readonly subscriptions: number
}

export interface RetentionStep extends RetentionCounts {
  /**
   * `done` when this step completed a pass over all data; `busy` when another caller is working, so nothing was done.
   */
  readonly state: 'more' | 'done' | 'busy'
}

/** Deliveries that expired unattempted, because retention removed their events at positions in (after, through]. */
export interface ExpiredRange {
  readonly after: number
  readonly through: number
  readonly deliveries: number
  readonly endedAt: Date
}

/** Erasure and retention, in steps small enough that they delay nobody. */
export interface MaintenanceStore {
  /** Lists events of a person that are not erased, at most `limit`, in any order. */
  eventsOfPerson(person: PersonRef, limit: number): Promise<ErasableEvent[]>

  /**
   * Takes one step through events in the order of their keys and returns those that may still contain personal data.
   * `next` is the `after` of the next step, undefined at the end. A walk meets every event that exists throughout.
   */
  eventsBefore(walk: ErasureWalk): Promise<{ readonly events: ErasableEvent[]; readonly next: EventKey | undefined }>

  /**
   * Erases personal data: removes each event's patch, person and input digest, and the stored responses of its
   * deliveries, and sets the fingerprint to `ERASED_FINGERPRINT`. The rest of the event stays.
   *
   * Once this resolves, nothing erased can be read, and no response to a delivery of these events is stored any more.
   */
  erase(events: readonly ErasedEvent[]): Promise<ErasureCounts>

  /** Whether the caller should run retention now. In each interval of `everyMs`, exactly one caller gets true. */
  takeRetentionTurn(everyMs: number): Promise<boolean>

  /**
   * Runs one step of retention, on at most `limit` rows of each kind. When several callers race, one of them does the
   * step and the others get `busy`. Each step continues where the last one ended, whichever process ran that.
   *
   * Events leave from the front of an account's feed, each together with its position, so no reader ever sees one
   * without the other. An event without a position is never removed, nor is the counter of a subject. Lanes that had
   * not reached removed events skip them, which an {@link ExpiredRange} records. A retry whose event is gone is leased
   * without it and ends as `expired`.
   */
  retain(horizons: RetentionHorizons, limit: number): Promise<RetentionStep>

  /** Lists a subscription's deliveries that expired unattempted, oldest first. */
  expiredRanges(ref: SubscriptionRef): Promise<ExpiredRange[]>
}
