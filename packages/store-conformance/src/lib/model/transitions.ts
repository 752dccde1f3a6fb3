import type { DeliveryState, DisabledReason } from '@callboard/core'
import type { Home, Model, ModelDelivery, ModelEvent, ModelKey, ModelLane, ModelSubscription } from './model.ts'

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
    overtaken: 0,
    caughtUp: 0,
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

/** The id of the last key in this key's chain of rotations; the same id if the key was never rotated. */
export function lastSuccessor(home: Home, id: string): string {
  const successor = home.keys.find((key) => key.id === id)?.successor
  return successor === undefined ? id : lastSuccessor(home, successor)
}

/**
 * Disables a subscription. Returns false if the subscription was removed, or is already disabled for a reason that
 * `replaces` does not include.
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
 * Enables a subscription for new events, and ends its deliveries. A worker keeps a lease that has not expired, and
 * loses an expired one.
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
