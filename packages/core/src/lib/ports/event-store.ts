import type { Mode } from '../accounts/mode.ts'
import type { AccountMode, NewAccount } from './account-store.ts'
import type { DeliveryState } from './delivery-record.ts'
import type { FeedPage, FeedRead } from './feed-page.ts'
import type { EventText, StoredEvent, Subject } from './stored-event.ts'

/**
 * An event about to be published. Its envelope without personal data is
 * `head + JSON(account name) + middle + sequence + tail`, where the store fills in the two values that only it knows.
 * `head`, `middle` and `tail` are compact JSON without line breaks.
 */
export interface EventDraft {
  readonly accountId: string
  /** The account, to create it if it does not exist; by default, an account that does not exist is unknown. */
  readonly newAccount?: NewAccount | undefined
  readonly mode: Mode
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  readonly subject: Subject
  /** The publisher's own sequence; undefined to use the next number of the subject's counter. */
  readonly sequence: number | undefined
  /** Whether the publisher chose the id, in which case an event with this id may already exist. */
  readonly ownId: boolean
  readonly idempotencyKey: string | undefined
  /**
   * Keyed digests (`<key id>.<hmac>`) of the publisher's input, one for each key of the platform's key ring. They tell
   * a repeated event from a different event with the same id or idempotency key. Empty when the publisher gave neither.
   * The store keeps only the first digest, which is made with the ring's current key.
   */
  readonly digests: readonly string[]
  readonly head: string
  readonly middle: string
  readonly tail: string
  /** The patch that puts the personal data back into the envelope; null when the event contains no personal data. */
  readonly patch: string | null
  /** Fingerprint of the personal-data paths that were used to redact the envelope. */
  readonly fingerprint: string
  /** The person whose personal data the event contains, for erasure. */
  readonly personId: string | undefined
  /**
   * The trace in which the event is published, a W3C `traceparent`. The worker receives it with the event, but it is
   * never part of the body.
   */
  readonly trace: string | undefined
}

export type PublishOutcome =
  | { readonly outcome: 'stored' | 'known' | 'conflict'; readonly event: StoredEvent }
  | { readonly outcome: 'account_unknown' }
  | { readonly outcome: 'not_stored' }

/** A place in the order of `GET /v1/events`; unrelated to positions in the feed. */
export interface EventPlace {
  /** Milliseconds since 1970. */
  readonly occurredAt: number
  readonly id: string
}

export interface EventPage {
  readonly events: readonly (EventText & { readonly occurredAt: number })[]
  /** Whether another event follows the last event of this page. */
  readonly hasMore: boolean
}

export interface EventPageRequest extends AccountMode {
  readonly type: string | undefined
  /** The page starts after this place. */
  readonly after: EventPlace | undefined
  readonly limit: number
  /** Excludes events that were published more than this many milliseconds ago. */
  readonly horizonMs: number
  /** Whether to read the patches, which contain the personal data. */
  readonly personalData: boolean
}

/** Selects the events that a person searches for. */
export interface EventSearch extends Omit<EventPageRequest, 'personalData'> {
  /** Only the event with this id. */
  readonly id: string | undefined
  /** Only events of this subject: either its id, or its type and its id with a space between them. */
  readonly subject: string | undefined
  /** Only events that occurred at this time or later. */
  readonly from: Date | undefined
  /** Only events that occurred before this time. */
  readonly to: Date | undefined
  /**
   * Only events with a delivery that is retrying or has ended without success. A delivery that was never attempted does
   * not count here if it was ended by `skipToNow` or by disabling its subscription.
   */
  readonly failing: boolean
}

export interface FoundEvent extends StoredEvent {
  /**
   * How many of the event's deliveries are in each state. Three kinds of subscriptions count: those that include the
   * event's type, those that are disabled, and those with a failed delivery of the event. A store may look at only
   * `CAPS.deliveries` of each kind.
   */
  readonly deliveries: Readonly<Partial<Record<DeliveryState, number>>>
  /**
   * How many of these deliveries were due: all but those that somebody skipped, and those that had no attempt before
   * their subscription was disabled.
   */
  readonly due: number
  /** Whether there may be more deliveries than were counted. */
  readonly more: boolean
}

export interface FoundEvents {
  /** Newest first, as in `page`. When a search would take too long, there can be fewer than the limit, or none. */
  readonly events: readonly FoundEvent[]
  /** The `after` of the next page; undefined on the last page. */
  readonly next: EventPlace | undefined
}

/** @typeParam Tx the type of the caller's own transaction for this store. */
export interface EventStore<Tx> {
  /**
   * Stores all events and queues them for the feed, or stores none. Uses `tx`, the caller's own transaction, if it is
   * given.
   *
   * The outcome is `known` if the id or idempotency key already exists in the account and mode. It contains the
   * existing event. Nothing is stored, no number of the subject's counter is used, and the caller's transaction stays
   * usable. When two calls race with the same id or key, the second waits until the transaction of the first ends.
   *
   * The outcome is `conflict` instead of `known` if the input differs: the draft's digest and the stored digest were
   * made with the same key, but are not equal.
   *
   * An account that does not exist is created with its audit entry, as by `AccountStore.ensure`, if every draft of such
   * an account has a `newAccount`, none of the accounts was deleted, and no draft has the outcome `conflict`. Otherwise
   * the outcome is `account_unknown`.
   *
   * If any draft has the outcome `conflict` or `account_unknown`, no draft is stored, and every other draft has the
   * outcome `known` or `not_stored`.
   *
   * A subject's events are numbered 1, 2, 3 … without gaps, per account and mode. The subject's counter stays locked
   * until the transaction ends. If a call needs several counters, it locks them in a fixed order.
   *
   * Throws `TRANSACTION_CONFLICT` for a deadlock or serialisation failure in the caller's transaction, which must then
   * be rolled back.
   *
   * No two drafts of a call may share an id or idempotency key: the caller must merge such drafts first.
   */
  publishDrafts(drafts: readonly EventDraft[], tx?: Tx | undefined): Promise<PublishOutcome[]>

  /**
   * Reads a page, newest first: `occurredAt` descending, then `id` descending. A page without personal data may be
   * read from a replica, so the newest events may be missing from it.
   */
  pageEvents(request: EventPageRequest): Promise<EventPage>

  /**
   * Reads a page of the feed for each reader, oldest first, and returns the pages in the order of `reads`. Costs a few
   * look-ups for each reader that has nothing new.
   *
   * A reader that continues each time at the page's `place` gets every event of its types exactly once, because nothing
   * is ever inserted before a place. The events of a subject come in the order of their sequence, if the store counts
   * it. An event whose transaction is open, or that no worker has sequenced, comes later.
   *
   * Two things break this, and the page that continues is then `truncated`. If the place is of another history, or if
   * its event is no longer at its position although retention has not removed it, the end of the feed may have been
   * lost: the page starts at the time of the place's event less {@link FEED_OVERLAP_MS}. If retention or the horizon
   * has passed events after the place, the page starts at the first event that is left.
   *
   * A page without personal data may be read from a replica, and then may end early, but has no gaps.
   */
  readFeed(reads: readonly FeedRead[]): Promise<FeedPage[]>

  /** @param horizonMs finds only an event that was published at most this many milliseconds ago; any by default. */
  find(accountId: string, mode: Mode, id: string, horizonMs?: number): Promise<EventText | undefined>

  /** Finds events and counts their deliveries by state. Looks at a bounded number of events, however many there are. */
  searchEvents(request: EventSearch): Promise<FoundEvents>
}
