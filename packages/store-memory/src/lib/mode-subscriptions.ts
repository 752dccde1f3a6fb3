import type { SubscriptionRecord } from '@callboard/core'
import { newLane, selectionsOf } from '@callboard/core/store'
import { createHistory, type MemoryState, type ModeState, type SubscriptionState } from './memory-state.ts'

/** A new subscription whose lane starts at the feed's end. */
export function newState(state: MemoryState, record: SubscriptionRecord): SubscriptionState {
  return {
    record,
    laneId: record.id,
    digest: undefined,
    selections: selectionsOf(record.eventTypes),
    identity: undefined,
    removed: false,
    removedAt: undefined,
    disabledAt: undefined,
    expired: [],
    lane: newLane(state.position),
    retries: new Map(),
    history: createHistory(state.arrivals),
    since: state.arrivals,
    leaseCall: undefined,
    leasedRoom: 0,
  }
}

export function add(home: ModeState, subscription: SubscriptionState): void {
  home.subscriptions.set(subscription.record.id, subscription)
  index(home, subscription)
}

/** Undoes {@link add}. */
export function drop(home: ModeState, subscription: SubscriptionState): void {
  home.subscriptions.delete(subscription.record.id)
  forget(home, subscription)
}

/** Makes the subscription known by its identity and its event types. */
export function index(home: ModeState, subscription: SubscriptionState): void {
  if (subscription.identity !== undefined) home.subscriptionsByIdentity.set(subscription.identity, subscription)
  for (const type of subscription.record.eventTypes) {
    const matching = home.subscriptionsByType.get(type) ?? new Set()
    home.subscriptionsByType.set(type, matching.add(subscription))
  }
}

/** Undoes {@link index}. */
export function forget(home: ModeState, subscription: SubscriptionState): void {
  if (subscription.identity !== undefined) home.subscriptionsByIdentity.delete(subscription.identity)
  for (const type of subscription.record.eventTypes) home.subscriptionsByType.get(type)?.delete(subscription)
}
