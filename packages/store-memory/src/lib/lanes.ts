import type { DisabledReason } from '@callboard/core'
import { type EndedState, isValidKey, type LaneLease, type LaneStanding, standingOf } from '@callboard/core/store'
import { findSubscription, type Lane, type MemoryState, type SubscriptionState } from './memory-state.ts'

/**
 * Creates a lane that starts with the next event published. It skips the feed so far and all events not sequenced yet.
 */
export function createLane({ position, arrivals }: MemoryState): Lane {
  return {
    cursor: position,
    head: position,
    since: arrivals,
    epoch: 0,
    leased: false,
    leasedThrough: 0,
    paused: false,
    claims: 0,
    failures: 0,
    slow: false,
    failedAttempts: 0,
    failingSince: undefined,
    reported: false,
    retries: new Map(),
    history: { start: arrivals, attempts: [], ended: new Map(), endedRanges: [], added: new Set(), hours: new Map() },
  }
}

/** Disables a subscription. Returns false if it is already disabled for a reason that `replaces` does not include. */
export function disable(
  state: MemoryState,
  subscription: SubscriptionState,
  disabledReason: DisabledReason,
  replaces: readonly DisabledReason[] = [],
): boolean {
  const earlier = subscription.record.disabledReason
  if (earlier !== undefined && !replaces.includes(earlier)) return false
  subscription.record = { ...subscription.record, state: 'disabled', disabledReason }
  subscription.disabledAt = state.now()
  const { lane } = subscription
  if (earlier === undefined) lane.leasedUntil = lane.leased ? state.wakeTimes.get(subscription) : undefined
  stop(state, subscription)
  return true
}

/** Keeps the lane from being leased. A worker that already holds the lane can still settle what it has sent. */
export function stop(state: MemoryState, subscription: SubscriptionState): void {
  state.wakeTimes.delete(subscription)
}

/**
 * Enables a disabled subscription if `from` includes the reason why it was disabled. Returns false if the subscription
 * stays disabled. A worker that holds the lane keeps its lease, so that it records what it has in flight before
 * anything else is sent.
 */
export function enable(state: MemoryState, subscription: SubscriptionState, from: readonly DisabledReason[]): boolean {
  const reason = subscription.record.disabledReason
  if (reason === undefined) return true
  if (!from.includes(reason)) return false
  subscription.record = { ...subscription.record, state: 'active', disabledReason: undefined }
  endPending(state, subscription, 'disabled')
  const { epoch, history, leased, leasedUntil = 0 } = subscription.lane
  const lane: Lane = { ...createLane(state), epoch, history }
  subscription.lane = lane
  if (leased && leasedUntil > state.now()) {
    lane.leased = true
    lane.skippedEpoch = epoch
    wakeAt(state, subscription, leasedUntil)
  } else fence(lane)
  return true
}

/**
 * Raises the lane's epoch, which invalidates its earlier leases. The docs of `LaneLease.epoch` list when this happens.
 */
export function fence(lane: Lane): void {
  lane.leased = false
  lane.epoch++
}

/**
 * Prepares a lane for a new target: makes its work due now, clears its failures, and ends the lease of a worker that
 * may still send to the old target.
 */
export function startAfresh(state: MemoryState, subscription: SubscriptionState): void {
  const { lane, record } = subscription
  const now = state.now()
  for (const [eventId, retry] of lane.retries)
    if (retry.dueAt !== undefined) lane.retries.set(eventId, { ...retry, dueAt: now })
  const healthy = {
    failures: 0,
    failedAttempts: 0,
    failingSince: undefined,
    reported: false,
    slow: false,
    paused: false,
    claims: 0,
  }
  Object.assign(lane, healthy)
  fence(lane)
  if (record.state === 'active') wakeAt(state, subscription, nextWork(lane, now))
}

/**
 * Ends all pending and retrying deliveries: one by one for retries and for events that are not sequenced yet, as one
 * range for the pending events in the feed. The lane continues with events that arrive after this call.
 */
export function endPending(state: MemoryState, { record, lane }: SubscriptionState, ended: EndedState): void {
  for (const { eventId, attempts } of lane.retries.values()) lane.history.ended.set(eventId, { state: ended, attempts })
  lane.retries.clear()
  if (lane.cursor < state.position)
    lane.history.endedRanges.push({ after: lane.cursor, through: state.position, state: ended })
  const home = state.accounts.get(record.accountId)?.modes[record.mode]
  for (const event of state.outbox) {
    if (event.home === home && record.eventTypes.includes(event.stored.type) && event.arrival > lane.since)
      lane.history.ended.set(event.stored.id, { state: ended, attempts: 0 })
  }
  lane.cursor = state.position
  lane.head = state.position
  lane.since = state.arrivals
}

/**
 * The time at which the lane next has an event or a retry to send, even if its breaker is open then; undefined if there
 * is no such time.
 */
export function nextWork({ head, cursor, retries }: Lane, now: number): number | undefined {
  if (head > cursor) return now
  const due = [...retries.values()].flatMap(({ dueAt }) => dueAt ?? [])
  return due.length === 0 ? undefined : due.reduce((a, b) => Math.min(a, b))
}

/**
 * Whether a worker holds an unexpired lease on the lane. Such a lease outlasts disabling the subscription, but not
 * removing it.
 */
export function isHeld(state: MemoryState, subscription: SubscriptionState): boolean {
  const { leased, leasedUntil = 0 } = subscription.lane
  return leased && !subscription.removed && (state.wakeTimes.get(subscription) ?? leasedUntil) > state.now()
}

/** Sets the time at which the lane is due; undefined means never. */
export function wakeAt(state: MemoryState, subscription: SubscriptionState, time: number | undefined): void {
  if (time === undefined) state.wakeTimes.delete(subscription)
  else state.wakeTimes.set(subscription, time)
}

/**
 * The subscription whose lane this lease still holds; undefined if the lease was lost or the subscription was removed.
 */
export function holderOf(state: MemoryState, lease: LaneLease): SubscriptionState | undefined {
  const subscription = findSubscription(state, lease)
  return subscription?.lane.leased && subscription.lane.epoch === lease.epoch ? subscription : undefined
}

/**
 * Whether the subscription's deliveries may be sent now, and whether they may contain personal data. Both depend on the
 * key in `confirmedBy`, if there is one.
 */
export function standingIn(state: MemoryState, { record }: SubscriptionState): LaneStanding {
  const key = state.accounts.get(record.accountId)?.keys.get(record.confirmedBy ?? '')?.record
  return standingOf(record, key && isValidKey(key, state.now()) ? key : undefined)
}
