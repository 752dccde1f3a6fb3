import type { Account, DisabledReason, Mode } from '@callboard/core'
import {
  type AttemptOutcome,
  type CurrentPaths,
  type EndedState,
  type IdPrefix,
  idFromUuid,
  type SubscriptionRef,
} from '@callboard/core/store'

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
  /** The milliseconds by which `advance` has moved the store's clock. */
  time: number
  readonly homes: readonly Home[]
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
  readonly keys: ModelKey[]
  readonly events: ModelEvent[]
  readonly subscriptions: ModelSubscription[]
  /** The last sequence of each subject. */
  readonly counters: Map<string, number>
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
  /** Undefined also once the event is erased. */
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
  /** The subscription's deliveries, by event id. */
  readonly deliveries: Map<string, ModelDelivery>
  readonly attempts: ModelAttempt[]
  lane: ModelLane
}

export interface ModelAttempt {
  readonly id: string
  readonly eventId: string
  readonly number: number
  readonly outcome: AttemptOutcome
  /** The stored response. */
  response: string | undefined
}

export interface ModelDelivery {
  /**
   * `feed` is a pending delivery, sequenced or not, and `retry` a retrying one. In any other state, the delivery has
   * ended.
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
  /** The number of matching events that might not have been sequenced when the lane started. The lane skips them. */
  readonly older: number
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
}

export interface OpenPublish {
  readonly home: Home
  readonly event: Omit<ModelEvent, 'generation'>
  readonly commit: () => Promise<void>
  readonly rollback: () => Promise<void>
}

/** Creates an id that is the same in every run of the same steps. */
export function idOf(prefix: IdPrefix, number: number): string {
  return idFromUuid(prefix, number.toString(16).padStart(32, '0'))
}

export function newLane(epoch: number, older: number): ModelLane {
  return {
    epoch,
    holder: undefined,
    wakeAt: undefined,
    outlasting: false,
    claims: 0,
    failures: 0,
    slow: false,
    failedAttempts: 0,
    failingSince: undefined,
    older,
  }
}

/** Counts the matching events that might not be sequenced yet. A lane that starts now skips them. */
export function countOlder(home: Home, types: readonly string[]): number {
  return home.events.filter((event) => !event.sequenced && types.includes(event.type)).length
}

/** Commits an event, and adds a delivery for every matching subscription that is active now. */
export function commit(model: Model, home: Home, event: Omit<ModelEvent, 'generation'>): void {
  home.events.push({ ...event, generation: model.generation })
  model.outbox++
  for (const subscription of home.subscriptions) {
    if (subscription.state !== 'active' || !subscription.types.includes(event.type)) continue
    subscription.deliveries.set(event.id, { state: 'feed', attempts: 0, dueAt: 0, suspect: false, redacted: false })
  }
}

export function isValid({ revoked, expiresAt }: ModelKey, { time }: Model): boolean {
  return !revoked && (expiresAt === undefined || expiresAt > time)
}

/** The id of the key that replaces this one after all its rotations; the same id if the key was never rotated. */
export function lastSuccessor(home: Home, id: string): string {
  const successor = home.keys.find((key) => key.id === id)?.successor
  return successor === undefined ? id : lastSuccessor(home, successor)
}

/**
 * Disables a subscription and ends its deliveries. Returns false if the subscription was removed, or is already
 * disabled for a reason that `replaces` does not include.
 */
export function disable(
  subscription: ModelSubscription,
  reason: DisabledReason,
  replaces: readonly DisabledReason[] = [],
): boolean {
  if (subscription.state === 'removed') return false
  if (subscription.reason !== undefined && !replaces.includes(subscription.reason)) return false
  subscription.state = 'disabled'
  subscription.reason = reason
  endAll(subscription)
  return true
}

/**
 * Enables a subscription for new events. A worker keeps a lease that has not expired, and loses an expired one.
 */
export function enable(
  { time }: Model,
  home: Home,
  subscription: ModelSubscription,
  from: readonly DisabledReason[],
): void {
  if (subscription.state !== 'disabled' || subscription.reason === undefined || !from.includes(subscription.reason))
    return
  subscription.state = 'active'
  subscription.reason = undefined
  const { epoch, holder, wakeAt } = subscription.lane
  const lane = newLane(epoch, countOlder(home, subscription.types))
  const isHeld = holder !== undefined && wakeAt !== undefined && wakeAt > time
  subscription.lane = isHeld ? { ...lane, holder, wakeAt, outlasting: true } : lane
}

export function remove(subscription: ModelSubscription): void {
  subscription.state = 'removed'
  subscription.lane.holder = undefined
  endAll(subscription)
}

function endAll({ deliveries }: ModelSubscription): void {
  for (const delivery of deliveries.values())
    if (delivery.state === 'feed' || delivery.state === 'retry') delivery.state = 'disabled'
}
