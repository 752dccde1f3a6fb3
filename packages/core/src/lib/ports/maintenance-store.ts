import type { Mode } from '../accounts/mode.ts'
import type { SubscriptionRef } from './subscription-store.ts'

/** Where an event is kept. */
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

/** What is to be left of an event. */
export interface ErasedEvent extends EventKey {
  /** The fingerprint it was read with: under another one somebody else has erased it meanwhile, and nothing is written. */
  readonly from: string
  /** Its envelope without what is personal data today; undefined: as it is. */
  readonly body: string | undefined
}

export interface PersonRef {
  readonly accountId: string
  readonly mode: Mode
  readonly personId: string
}

export interface ErasureWalk {
  /** Undefined: every account. */
  readonly accountId: string | undefined
  /** By publish time. */
  readonly publishedBefore: Date
  /** The event types and the fingerprints that their events have today: one of those without a patch holds no personal data. */
  readonly current: readonly { readonly type: string; readonly fingerprint: string }[]
  /** Behind this event; undefined: from the first. */
  readonly after: EventKey | undefined
  /** Events looked at, at most. */
  readonly limit: number
}

export interface ErasureCounts {
  readonly events: number
  /** Kept responses that went with them. */
  readonly responses: number
}

/** How long things are kept, in milliseconds. */
export interface RetentionHorizons {
  /** Events and their places in the feed, from when they were published. */
  readonly eventsMs: number
  /** The attempts log, from when an attempt started. */
  readonly attemptsMs: number
  /** What targets answered, from when the attempt started. */
  readonly responsesMs: number
  /** Removed subscriptions and their logs, from their removal. */
  readonly subscriptionsMs: number
}

/** What retention removed. */
export interface RetentionCounts {
  readonly events: number
  /** Deliveries that nobody had tried when their event was removed: they ended as `expired`. */
  readonly expired: number
  readonly attempts: number
  readonly responses: number
  readonly subscriptions: number
}

export interface RetentionStep extends RetentionCounts {
  /** `done`: a pass through everything has ended with this step. `busy`: somebody else is at it, and nothing was done. */
  readonly state: 'more' | 'done' | 'busy'
}

/** Deliveries of a subscription that retention has overtaken: of its events, those placed in (after, through]. */
export interface ExpiredRange {
  readonly after: number
  readonly through: number
  readonly deliveries: number
  readonly endedAt: Date
}

/** What is done to what is kept, in steps so small that nobody waits for one. */
export interface MaintenanceStore {
  /** Events of a person. Erasing them takes them out of this list. */
  eventsOfPerson(person: PersonRef, limit: number): Promise<ErasableEvent[]>

  /**
   * One step of a walk through events in the order of their keys: those that may still hold personal data, and where the next
   * step goes on; undefined: there is nothing behind. Every event that is there throughout is met.
   */
  eventsBefore(walk: ErasureWalk): Promise<{ readonly events: ErasableEvent[]; readonly next: EventKey | undefined }>

  /**
   * Takes from events what splices personal data in, whose person it is, the digest of the publisher's input, and the
   * responses kept of their deliveries; their fingerprint becomes `ERASED_FINGERPRINT`. Nothing reads any of it afterwards, and no
   * response to a delivery of them is kept from then on. All else of them stays.
   */
  erase(events: readonly ErasedEvent[]): Promise<ErasureCounts>

  /** Whether it is the caller's turn to keep retention: of all who ask, one is told so in each interval of this length. */
  takeRetentionTurn(everyMs: number): Promise<boolean>

  /**
   * One step of retention, of at most `limit` rows of a kind; of several callers one does it. Each goes on where the one before
   * ended, whoever did that and whatever came of it.
   *
   * Events go from the front of an account's feed, as far as they are old enough, and with their places in it, in one step: nobody
   * sees an event without its place or the other way round. So one that has no place yet is never removed, nor is the
   * counter of a subject. Lanes that still had some of them before them go on behind them, and those deliveries are counted
   * in an {@link ExpiredRange}; a retry whose event is gone is leased without it, and ends as `expired`.
   */
  retain(horizons: RetentionHorizons, limit: number): Promise<RetentionStep>

  /** What retention has overtaken of a subscription, oldest first. */
  expiredRanges(ref: SubscriptionRef): Promise<ExpiredRange[]>
}
