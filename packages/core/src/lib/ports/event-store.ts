import type { Mode } from '../accounts/mode.ts'

/** What an event is about (contract, 2.4). */
export interface Subject {
  readonly type: string
  readonly id: string
}

/**
 * An event that is about to be published. The envelope's text without personal data is
 * `head + JSON(account name) + middle + sequence + tail`; the store fills in the two values that only it knows. All texts of an
 * event are on one line, as JSON written without spaces is.
 */
export interface EventDraft {
  readonly accountId: string
  readonly mode: Mode
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  readonly subject: Subject
  /** The publisher's own sequence; undefined: the next of the subject's counter. */
  readonly sequence: number | undefined
  /** Whether an event of this id may be there already: the publisher chose the id itself. */
  readonly ownId: boolean
  readonly idempotencyKey: string | undefined
  /**
   * Keyed digests (`<key id>.<hmac>`) of the publisher's input, one a key of the ring, the current key's first: that one is
   * kept. They tell a repeat from another event under the same id or key. Empty when neither was given.
   */
  readonly digests: readonly string[]
  readonly head: string
  readonly middle: string
  readonly tail: string
  /** What splices the personal values back in; null when there are none. */
  readonly patch: string | null
  /** Fingerprint of the personal-data paths the text was redacted with. */
  readonly fingerprint: string
  /** Whose personal data it is, for erasure. */
  readonly personId: string | undefined
  /** The trace that it is published in, a W3C `traceparent`: handed to whoever delivers the event, and part of nothing that is sent. */
  readonly trace: string | undefined
}

/** What is known of an event once it is stored. */
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

/** A place in the order of `GET /v1/events`. */
export interface EventPosition {
  /** Milliseconds since the epoch. */
  readonly occurredAt: number
  readonly id: string
}

/** An event as a page or a delivery reads it. */
export interface EventText {
  readonly id: string
  readonly type: string
  /** The envelope's text without personal data. */
  readonly body: string
  /** Null when there is no personal data, when it was erased, or when the reader may not see it. */
  readonly patch: string | null
  readonly fingerprint: string
}

export interface EventPage {
  readonly events: readonly (EventText & { readonly occurredAt: number })[]
  /** Whether there is another event behind the last one. */
  readonly hasMore: boolean
}

export interface EventPageRequest {
  readonly accountId: string
  readonly mode: Mode
  readonly type: string | undefined
  readonly after: EventPosition | undefined
  readonly limit: number
  readonly horizonMs: number
  /** Whether patches are read at all. */
  readonly personalData: boolean
}

/** @typeParam Tx what the caller's own transaction is to this store. */
export interface EventStore<Tx> {
  /**
   * Stores events and queues them for the feed, all or none, within the caller's transaction when one is given.
   * An event whose id or idempotency key is there already in its account and mode is `known`: nothing is stored,
   * queued or counted for it, the first one is returned, and the caller's transaction stays usable. When two race with
   * the same id or key, one stores it and the other waits for that transaction to end, then finds it.
   *
   * It is a `conflict` instead when the kept digest is under a key among the draft's digests, and is none of them. If
   * any draft is a conflict or its account is unknown, no draft is stored (the others are `known` or `not_stored`).
   *
   * A subject's sequence is 1, 2, 3 … without gaps in account and mode; its counter is locked until the
   * transaction ends, several counters in the order of their keys. Throws `TRANSACTION_CONFLICT` on a
   * deadlock or serialisation failure in the caller's transaction, which is then to be rolled back.
   *
   * Drafts of one call that share an id or key with each other are the caller's to fold.
   */
  publish(drafts: readonly EventDraft[], tx?: Tx | undefined): Promise<PublishOutcome[]>

  /** A page, newest first: `occurredAt` descending, then `id` descending. */
  page(request: EventPageRequest): Promise<EventPage>

  find(accountId: string, mode: Mode, id: string): Promise<EventText | undefined>
}
