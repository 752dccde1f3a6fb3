import type { Account, DeliveryState, DisabledReason, Mode } from '@callboard/core'
import {
  type AttemptOutcome,
  type CurrentPaths,
  type EndedState,
  type EventText,
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
  /** The most deliveries that the last lease can contain, and the events that it contains for a first attempt. */
  room: number
  leased: readonly string[]
  /** Whether retention has ended deliveries of the lane, so that the lane may be leased without any work. */
  overtaken: boolean
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
  /** Undefined if retention had removed the event. */
  readonly event: EventText | undefined
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

/** Creates an id that sorts by time, as ids of attempts do. */
export function idFromTime(prefix: IdPrefix, time: number, number: number): string {
  return idFromUuid(prefix, time.toString(16).padStart(12, '0') + number.toString(16).padStart(20, '0'))
}

export function newLane(epoch: number, older: ReadonlySet<string>): ModelLane {
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
    room: 0,
    leased: [],
    overtaken: false,
  }
}

/** Whether a worker holds the lane, and its lease has not expired. Disabling the subscription does not end a lease. */
export function isLeaseRunning({ holder, wakeAt }: ModelLane, time: number): boolean {
  return holder !== undefined && wakeAt !== undefined && wakeAt > time
}

/** The matching events that might not be sequenced yet. A lane that starts now skips them. */
export function olderEvents(home: Home, types: readonly string[]): Set<string> {
  const older = home.events.filter((event) => !event.sequenced && types.includes(event.type))
  return new Set(older.map(({ id }) => id))
}

/** Commits an event, and adds a delivery for every matching subscription, even if it is disabled. */
export function commit(model: Model, home: Home, event: Omit<ModelEvent, 'generation'>): void {
  home.events.push({ ...event, generation: model.generation })
  model.outbox++
  for (const subscription of home.subscriptions) {
    if (subscription.state === 'removed' || !subscription.types.includes(event.type)) continue
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
 * Disables a subscription. Returns false if the subscription was removed, or is already
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
  return true
}

/**
 * Enables a subscription for new events, and ends its deliveries. A worker keeps a lease that has not expired, and loses an expired one.
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
  endAll(subscription)
  const { epoch, holder, wakeAt } = subscription.lane
  const lane = newLane(epoch, olderEvents(home, subscription.types))
  subscription.lane = isLeaseRunning(subscription.lane, time) ? { ...lane, holder, wakeAt, outlasting: true } : lane
}

/** The state that the log shows. */
export function shownState({ state: standing }: ModelSubscription, { state }: ModelDelivery): DeliveryState {
  if (state !== 'feed' && state !== 'retry') return state
  return standing === 'disabled' ? 'disabled' : state === 'feed' ? 'pending' : 'retrying'
}

export function remove({ time }: Model, subscription: ModelSubscription): void {
  subscription.state = 'removed'
  subscription.removedAt = time
  subscription.lane.holder = undefined
  endAll(subscription)
}

function endAll({ deliveries }: ModelSubscription): void {
  for (const delivery of deliveries.values())
    if (delivery.state === 'feed' || delivery.state === 'retry') delivery.state = 'disabled'
}
