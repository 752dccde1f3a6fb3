import type { DisabledReason } from '@callboard/core'
import {
  isHeldBy,
  isStillHeld,
  isValidKey,
  type Lane,
  type LaneChange,
  type LaneLease,
  type LaneStanding,
  laneActs,
  type Skip,
  standingOf,
} from '@callboard/core/store'
import { type EventState, findSubscription, type MemoryState, type SubscriptionState } from '../memory-state.ts'
import { pendingEvents } from './pending-events.ts'

export function putLane(state: MemoryState, subscription: SubscriptionState, lane: Lane): void {
  subscription.lane = lane
  if (lane.wakeAt === undefined) state.withWork.delete(subscription)
  else state.withWork.add(subscription)
}

/** Stores what an act has changed. */
export function apply(
  state: MemoryState,
  subscription: SubscriptionState,
  { lane, written, closed, ended, endedRange }: LaneChange,
): void {
  const { retries, history } = subscription
  for (const eventId of closed) retries.delete(eventId)
  for (const retry of written) retries.set(retry.eventId, retry)
  for (const { eventId, ...end } of ended) history.ended.set(eventId, end)
  if (endedRange !== undefined)
    for (const { event } of pendingEvents(state, subscription))
      history.ended.set(event.stored.id, { state: endedRange.state, attempts: 0 })
  putLane(state, subscription, lane)
}

/**
 * Disables a subscription. Returns false if it is disabled for this reason, or for one that `replaces` does not
 * include.
 */
export function disable(
  state: MemoryState,
  subscription: SubscriptionState,
  disabledReason: DisabledReason,
  replaces: readonly DisabledReason[] = [],
): boolean {
  const earlier = subscription.record.disabledReason
  if (earlier !== undefined && (earlier === disabledReason || !replaces.includes(earlier))) return false
  markDisabled(state, subscription, disabledReason)
  putLane(state, subscription, laneActs.disabled(subscription.lane))
  return true
}

export function markDisabled(
  state: MemoryState,
  subscription: SubscriptionState,
  disabledReason: DisabledReason,
): void {
  subscription.record = { ...subscription.record, state: 'disabled', disabledReason }
  subscription.disabledAt = state.now()
}

/**
 * Enables a disabled subscription if `from` includes the reason why it was disabled. Returns false if the subscription
 * stays disabled.
 */
export function enable(state: MemoryState, subscription: SubscriptionState, from: readonly DisabledReason[]): boolean {
  const reason = subscription.record.disabledReason
  if (reason === undefined) return true
  if (!from.includes(reason)) return false
  subscription.record = { ...subscription.record, state: 'active', disabledReason: undefined }
  apply(state, subscription, laneActs.enabled(subscription.lane, subscription.retries, skipOf(state, subscription)))
  subscription.since = state.arrivals
  return true
}

/** Ends all pending and retrying deliveries. The lane continues with events that arrive after this call. */
export function skip(state: MemoryState, subscription: SubscriptionState, as: Skip['as']): void {
  apply(
    state,
    subscription,
    laneActs.skipped(subscription.lane, subscription.retries, { ...skipOf(state, subscription), as }),
  )
  subscription.since = state.arrivals
}

/**
 * What a skip ends. Events without a position are listed from then on, even if their type is dropped before they get
 * one.
 */
function skipOf(state: MemoryState, { record, since, history }: SubscriptionState): Omit<Skip, 'as'> {
  const home = state.accounts.get(record.accountId)?.modes[record.mode]
  const unsequenced = state.outbox.flatMap((event) =>
    event.home === home && record.eventTypes.includes(event.stored.type) && event.arrival > since
      ? event.stored.id
      : [],
  )
  for (const eventId of unsequenced) history.added.add(eventId)
  return { end: state.position, unsequenced, now: state.now() }
}

/** The key of an event's subject within a lane. */
export function subjectKeyOf({ stored: { subject } }: EventState): string {
  return `${subject.type} ${subject.id}`
}

/**
 * Whether a worker holds an unexpired lease on the lane. Such a lease outlasts disabling the subscription, but not
 * removing it.
 */
export function isHeld({ now }: MemoryState, { lane, removed }: SubscriptionState): boolean {
  if (removed) return false
  return lane.state === 'leased' ? (lane.wakeAt ?? 0) > now() : isStillHeld(lane, now())
}

/**
 * The subscription whose lane this lease still holds; undefined if the lease was lost or the subscription was removed.
 */
export function holderOf(state: MemoryState, lease: LaneLease): SubscriptionState | undefined {
  const subscription = findSubscription(state, lease)
  return subscription !== undefined && isHeldBy(subscription.lane, lease.epoch) ? subscription : undefined
}

/**
 * Whether the subscription's deliveries may be sent now, and whether they may contain personal data. Both depend on the
 * key in `confirmedBy`, if there is one.
 */
export function standingIn(state: MemoryState, { record }: Pick<SubscriptionState, 'record'>): LaneStanding {
  const key = state.accounts.get(record.accountId)?.keys.get(record.confirmedBy ?? '')?.record
  return standingOf(record, key && isValidKey(key, state.now()) ? key : undefined)
}
