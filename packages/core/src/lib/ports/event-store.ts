import type { Mode } from '../accounts/mode.ts'

/** The thing an event is about, such as an order. */
export interface Subject {
  readonly type: string
  readonly id: string
}

/**
 * An event about to be published. Its envelope without personal data is
 * `head + JSON(account name) + middle + sequence + tail`, where the store fills in the two values that only it knows.
 * The texts are compact JSON and contain no line break.
 */
export interface EventDraft {
  readonly accountId: string
  readonly mode: Mode
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  readonly subject: Subject
  /** The publisher's own sequence; undefined for the next of the subject's counter. */
  readonly sequence: number | undefined
  /** Whether the publisher chose the id, so that an event with this id may already exist. */
  readonly ownId: boolean
  readonly idempotencyKey: string | undefined
  /**
   * Keyed digests (`<key id>.<hmac>`) of the publisher's input, one for each key of the ring. They tell a repeat from a
   * different event with the same id or idempotency key, and are empty when neither was given. The store keeps the
   * first, which is the current key's.
   */
  readonly digests: readonly string[]
  readonly head: string
  readonly middle: string
  readonly tail: string
  /** Splices the personal data back in; null when there is none. */
  readonly patch: string | null
  /** Fingerprint of the personal-data paths with which the text was redacted. */
  readonly fingerprint: string
  /** The person whose personal data the event contains, for erasure. */
  readonly personId: string | undefined
  /** The trace in which the event is published, a W3C `traceparent`. Handed to the worker, but not part of the body. */
  readonly trace: string | undefined
}

/** An event as stored, without its texts. */
export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  readonly subject: Subject & { readonly sequence: number }
}

export type PublishOutcome =
  | { readonly outcome: 'stored' | 'known' | 'conflict'; readonly event: StoredEvent }
  | { readonly outcome: 'account_unknown' }
  | { readonly outcome: 'not_stored' }

/** A position in the order of `GET /v1/events`; unrelated to positions in the feed. */
export interface EventPosition {
  /** Milliseconds since the epoch. */
  readonly occurredAt: number
  readonly id: string
}

/** An event as read for a page or a delivery. */
export interface EventText {
  readonly id: string
  readonly type: string
  /** The envelope's text without personal data. */
  readonly body: string
  /** Null when there is no personal data, it was erased, or the reader may not see it. */
  readonly patch: string | null
  readonly fingerprint: string
}

export interface EventPage {
  readonly events: readonly (EventText & { readonly occurredAt: number })[]
  /** Whether another event follows the last one. */
  readonly hasMore: boolean
}

export interface EventPageRequest {
  readonly accountId: string
  readonly mode: Mode
  readonly type: string | undefined
  readonly after: EventPosition | undefined
  readonly limit: number
  readonly horizonMs: number
  /** Whether to read patches. */
  readonly personalData: boolean
}

/** @typeParam Tx the type of the caller's own transaction for this store. */
export interface EventStore<Tx> {
  /**
   * Stores events and queues them for the feed, all or none, within the caller's transaction when one is given.
   *
   * An event whose id or idempotency key already exists in its account and mode is `known`. Nothing is stored, queued
   * or counted; the first event is returned, and the caller's transaction stays usable. When two calls race with the
   * same id or key, one stores the event. The other waits for that transaction to end and then finds it.
   *
   * It is a `conflict` instead when the stored digest was made with a key among the draft's digests but equals none of
   * them. If any draft is a conflict or has an unknown account, none is stored; the others are `known` or `not_stored`.
   *
   * The sequence of a subject counts 1, 2, 3 … without gaps, per account and mode. Its counter stays locked until the
   * transaction ends; several counters are locked in the order of their keys. Throws `TRANSACTION_CONFLICT` for a
   * deadlock or serialisation failure in the caller's transaction, which must then be rolled back.
   *
   * No two drafts of a call may share an id or idempotency key: the caller merges them first.
   */
  publish(drafts: readonly EventDraft[], tx?: Tx | undefined): Promise<PublishOutcome[]>

  /** Reads a page, newest first: `occurredAt` descending, then `id` descending. */
  page(request: EventPageRequest): Promise<EventPage>

  find(accountId: string, mode: Mode, id: string): Promise<EventText | undefined>
}
