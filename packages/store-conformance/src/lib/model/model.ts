import type { Account, DisabledReason, Mode } from '@callboard/core'
import type { AttemptOutcome, CurrentPaths, EndedState, EventText, SubscriptionRef } from '@callboard/core/store'

/**
 * The model's clock moves by whole minutes, and every wait ends half a minute before a whole minute. If the store's
 * clock keeps running between the steps, the few seconds that pass therefore change no result.
 */
export const MINUTE: number = 60_000
/** The subscription limit per account and mode. */
export const LIMIT = 3
/** The number of attempts after which a delivery is exhausted. */
export const MAX_ATTEMPTS = 3

/** The simplest implementation of what the ports promise. */
export interface Model {
  /** When the run started. */
  readonly startedAt: number
  /** The milliseconds by which `advance` has moved the store's clock. */
  time: number
  homes: readonly Home[]
  /** Leases that workers believe they hold, including lost leases. */
  held: HeldLane[]
  /** Open transactions of the platform, with the events that they publish. */
  open: OpenPublish[]
  /** The number of events that are not sequenced yet. */
  outbox: number
  /**
   * The number of times the outbox was emptied. In the feed, events published before the outbox was emptied precede
   * those published afterwards.
   */
  generation: number
  /** The personal-data paths of each event type now, and before the catalogue grew for the last time. */
  catalog: CurrentPaths
  formerCatalog: CurrentPaths
  /** The number of ids created so far. */
  made: number
}

/** An account in one mode. Two accounts share no data, nor do the two modes of an account. */
export interface Home {
  readonly account: Account
  readonly mode: Mode
  /**
   * A disabled subscription to all event types. Nothing is delivered to it, but its log shows the order of the feed. It
   * is not among `subscriptions`.
   */
  readonly reader: SubscriptionRef
  readonly keys: ModelKey[]
  events: ModelEvent[]
  subscriptions: ModelSubscription[]
  /** The last sequence of each subject. */
  readonly counters: Map<string, number>
  /** The number of times that retention has removed events. */
  retired: number
}

export interface ModelKey {
  readonly id: string
  readonly tokenHash: Uint8Array
  readonly personalData: boolean
  expiresAt: number | undefined
  revoked: boolean
  successor: string | undefined
}

export interface ModelEvent {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly sequence: number
  readonly idempotencyKey: string | undefined
  /** The digest of the input. Undefined if the publisher passed neither an id nor a key, or if the event is erased. */
  digest: string | undefined
  readonly publishedAt: number
  body: string
  patch: string | null
  /** Shows whether the event is erased, and under which paths. */
  fingerprint: string
  /** The person that the publisher named. Erasing keeps a digest, by which the event can be found again. */
  readonly person: string | undefined
  readonly generation: number
  /**
   * Whether the event is certainly sequenced: a call has emptied the outbox since the event was published. Before that,
   * the event may or may not be sequenced.
   */
  sequenced: boolean
  /** The event's position in the feed; undefined until a lease has returned the event. */
  position: number | undefined
}

export interface ModelSubscription {
  readonly ref: SubscriptionRef
  readonly types: readonly string[]
  /** The index of this subscription's event types in `SLOTS` (subscription-steps.ts). */
  readonly slot: number
  /** Newest first. */
  secrets: readonly { readonly sealed: string; readonly expiresAt: number | undefined }[]
  confirmedBy: string
  state: 'active' | 'disabled' | 'removed'
  reason: DisabledReason | undefined
  removedAt: number | undefined
  /** The subscription's deliveries, by event id. */
  readonly deliveries: Map<string, ModelDelivery>
  readonly attempts: ModelAttempt[]
  /** The number of deliveries that expired before their first attempt. */
  expired: number
  lane: ModelLane
}

export interface ModelAttempt {
  readonly id: string
  readonly eventId: string
  readonly number: number
  readonly outcome: AttemptOutcome
  readonly startedAt: number
  /** The stored response. */
  response: string | undefined
}

export interface ModelDelivery {
  /**
   * `feed` is a pending delivery, sequenced or not, and `retry` a retrying one. Both are shown as `disabled` while the
   * subscription is disabled, and end as such when it is enabled. In any other state, the delivery has ended.
   */
  state: 'feed' | 'retry' | 'delivered' | EndedState
  attempts: number
  dueAt: number
  suspect: boolean
  redacted: boolean
}

export interface ModelLane {
  epoch: number
  /** The epoch of the current lease, the only one that can settle the lane; undefined when the lane is not leased. */
  holder: number | undefined
  /** When the lease or the breaker's pause ends; undefined when there is neither. */
  wakeAt: number | undefined
  /** Whether the current lease was held before the subscription was enabled. Its failures are not retried. */
  outlasting: boolean
  claims: number
  failures: number
  slow: boolean
  failedAttempts: number
  failingSince: number | undefined
  /** Ids of matching events that might not have been sequenced when the lane started. The lane skips them. */
  readonly older: ReadonlySet<string>
  /** The most deliveries that the last lease can contain. */
  room: number
  /** The events that the last lease contains for a first attempt. */
  leased: readonly string[]
  /** How often retention has ended deliveries of the lane. */
  overtaken: number
  /**
   * The value of `overtaken` when the last settled lease without deliveries began. While it is lower than `overtaken`,
   * the lane may be leased without any work, because its cursor may be before deliveries that retention has ended.
   */
  caughtUp: number
}

/** A lease as its worker sees it. */
export interface HeldLane {
  readonly home: Home
  readonly subscription: ModelSubscription
  readonly epoch: number
  readonly deliverable: boolean
  readonly hold: 'key' | undefined
  readonly personalData: boolean
  readonly through: number
  readonly failures: number
  readonly slow: boolean
  /** The lane's `overtaken` when the lease began. */
  readonly overtaken: number
  cursor: number
  /** The deliveries that the worker has not settled yet. */
  left: readonly HeldDelivery[]
}

export interface HeldDelivery {
  readonly eventId: string
  readonly position: number | undefined
  readonly attempts: number
  readonly suspect: boolean
  readonly redacted: boolean
  /** Undefined if retention had removed the event. */
  readonly event: EventText | undefined
}

export interface OpenPublish {
  readonly home: Home
  readonly event: Omit<ModelEvent, 'generation'>
  readonly commit: () => Promise<void>
  readonly rollback: () => Promise<void>
}
