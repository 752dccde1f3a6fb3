import type { Account, DisabledReason, Mode } from '@callboard/core'
import { type EndedState, type IdPrefix, idFromUuid, type SubscriptionRef } from '@callboard/core/store'

/**
 * Times of the model are whole minutes and waits end half a minute before one, so that a store whose clock runs between
 * the moves comes to the same answers as one whose clock stands still.
 */
export const MINUTE: number = 60_000
/** Subscriptions of an account and mode at most. */
export const LIMIT = 3
/** Tries after which a delivery ends as exhausted. */
export const MAX_TRIES = 3

/** What the ports promise, kept as plainly as it can be said. */
export interface Model {
  /** Milliseconds that the store's clock was moved. */
  time: number
  readonly homes: readonly Home[]
  /** What workers believe to hold, lost leases included. */
  held: HeldLane[]
  /** Transactions of the platform that are open, with what they publish. */
  open: OpenPublish[]
  /** Events that have no place in the feed yet. */
  outbox: number
  /** How often the outbox was emptied: of two events, the one that was committed before lies before in the feed. */
  generation: number
  /** Ids made so far. */
  made: number
}

/** An account in one mode: nothing crosses to another. */
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
  readonly digest: string | undefined
  readonly generation: number
  /** Whether it certainly has its place: undefined while a pass may have left it behind. */
  placed: boolean
  /** Its place, once a lease has told it. */
  position: number | undefined
}

export interface ModelSubscription {
  readonly ref: SubscriptionRef
  readonly types: readonly string[]
  /** Which of the four subscriptions that the model makes again and again. */
  readonly slot: number
  /** Newest first. */
  secrets: readonly { readonly sealed: string; readonly expiresAt: number | undefined }[]
  confirmedBy: string
  state: 'active' | 'disabled' | 'removed'
  reason: DisabledReason | undefined
  /** Each event that it is owed. */
  readonly deliveries: Map<string, ModelDelivery>
  readonly attempts: { readonly eventId: string; readonly number: number; readonly outcome: string }[]
  lane: ModelLane
}

export interface ModelDelivery {
  /** In the feed (or on its way to it), waiting to be tried again, or at its end. */
  state: 'feed' | 'retry' | 'delivered' | EndedState
  tries: number
  dueAt: number
  suspect: boolean
  redacted: boolean
}

export interface ModelLane {
  epoch: number
  /** The epoch whose holder may write; undefined: given back. */
  holder: number | undefined
  /** When the lease ends, or the pause of the breaker; undefined: the lane has neither. */
  wakeAt: number | undefined
  claims: number
  failures: number
  slow: boolean
  failedTries: number
  failingSince: number | undefined
  /** Matching events that were there before the lane and may still have to be passed over. */
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
  /** What it has not settled yet. */
  left: readonly HeldDelivery[]
}

export interface HeldDelivery {
  readonly eventId: string
  readonly position: number | undefined
  readonly tries: number
  readonly suspect: boolean
  readonly redacted: boolean
}

export interface OpenPublish {
  readonly home: Home
  readonly event: Omit<ModelEvent, 'generation'>
  readonly commit: () => Promise<void>
  readonly rollback: () => Promise<void>
}

/** An id that every run of the same steps makes again. */
export function idOf(prefix: IdPrefix, number: number): string {
  return idFromUuid(prefix, number.toString(16).padStart(32, '0'))
}

export function newLane(epoch: number, older: number): ModelLane {
  return {
    epoch,
    holder: undefined,
    wakeAt: undefined,
    claims: 0,
    failures: 0,
    slow: false,
    failedTries: 0,
    failingSince: undefined,
    older,
  }
}

/** Events that match and have no certain place yet: a lane that starts now passes them over. */
export function countOlder(home: Home, types: readonly string[]): number {
  return home.events.filter((event) => !event.placed && types.includes(event.type)).length
}

/** A committed event: every subscription that is active now is owed it. */
export function commit(model: Model, home: Home, event: Omit<ModelEvent, 'generation'>): void {
  home.events.push({ ...event, generation: model.generation })
  model.outbox++
  for (const subscription of home.subscriptions) {
    if (subscription.state !== 'active' || !subscription.types.includes(event.type)) continue
    subscription.deliveries.set(event.id, { state: 'feed', tries: 0, dueAt: 0, suspect: false, redacted: false })
  }
}

export function isValid({ revoked, expiresAt }: ModelKey, { time }: Model): boolean {
  return !revoked && (expiresAt === undefined || expiresAt > time)
}

/** The end of a key's chain of successors. */
export function lastSuccessor(home: Home, id: string): string {
  const successor = home.keys.find((key) => key.id === id)?.successor
  return successor === undefined ? id : lastSuccessor(home, successor)
}

/** What waits ends; an earlier reason stands unless it is replaced. Returns whether this reason counts. */
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

/** From what is new; the worker that held the lane is fenced. */
export function enable(home: Home, subscription: ModelSubscription, from: readonly DisabledReason[]): void {
  if (subscription.state !== 'disabled' || subscription.reason === undefined || !from.includes(subscription.reason))
    return
  subscription.state = 'active'
  subscription.reason = undefined
  subscription.lane = newLane(subscription.lane.epoch, countOlder(home, subscription.types))
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
