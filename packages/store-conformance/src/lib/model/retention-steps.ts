import assert from 'node:assert/strict'
import type { RetentionHorizons } from '@callboard/core/store'
import { ENTRY } from '../inputs.ts'
import { NOTHING, retainAll } from '../retention-passes.ts'
import { remove } from '../subscription-acts.ts'
import { compareAttempts, compareEvents } from './compare.ts'
import { feedOf } from './feed.ts'
import { type Home, MINUTE, type ModelSubscription } from './model.ts'
import { waitOf } from './subscription-steps.ts'
import { isLeaseRunning } from './transitions.ts'
import type { World } from './world.ts'

/** Longer than any run. */
const FOREVER_MS = 1e9
const KEEP: RetentionHorizons = {
  eventsMs: FOREVER_MS,
  attemptsMs: FOREVER_MS,
  responsesMs: FOREVER_MS,
  subscriptionsMs: FOREVER_MS,
  auditMs: FOREVER_MS,
  maxResponses: 1000,
}

/**
 * Removes old events in a whole pass. The model knows from the log in which order the events were sequenced, but not
 * exactly how many events a store keeps for a worker. It expects that
 * - the store removes only events from the front of the feed that are old enough, and none that a worker may be sending
 *   for the first time;
 * - an old event at the front stays only if a worker might be sending it;
 * - each lane that had not reached the removed events counts what it skips.
 */
export async function retainEvents(world: World, minutes: number, limit: number): Promise<void> {
  const feeds: (readonly string[])[] = []
  for (const home of world.homes) feeds.push(await feedOf(world, home))
  const { events, expired, ...others } = await retainAll(world.store, { ...KEEP, eventsMs: waitOf(minutes) }, limit)
  const { events: _, expired: __, ...nothing } = NOTHING
  assert.deepEqual(others, nothing, 'nothing but events is removed')
  let allRemoved = 0
  let allExpired = 0
  for (const [index, home] of world.homes.entries()) {
    const feed = feeds[index]!
    const left = events === 0 ? feed : await feedOf(world, home)
    const removed = feed.filter((id) => !left.includes(id))
    expectFromFront(world, home, feed, removed, { minutes, limit })
    const last = removed.at(-1)
    if (last === undefined) continue
    allRemoved += removed.length
    const passed = feed.slice(0, feed.indexOf(last) + 1)
    for (const subscription of present(home)) allExpired += await overtake(world, subscription, removed, passed)
    home.events = home.events.filter(({ id }) => !removed.includes(id))
    home.retired++
    await resendRemoved(world, home, last)
  }
  assert.deepEqual({ events, expired }, { events: allRemoved, expired: allExpired }, 'events that were removed')
  await compareEvents(world)
}

/** Expects that a pass removed the right events from a home's feed. */
function expectFromFront(
  world: World,
  home: Home,
  feed: readonly string[],
  removed: readonly string[],
  { minutes, limit }: { readonly minutes: number; readonly limit: number },
): void {
  const fresh = home.events.filter(({ publishedAt }) => publishedAt > world.time - minutes * MINUTE)
  const freshIds = new Set(fresh.map(({ id }) => id))
  const firstFresh = feed.findIndex((id) => freshIds.has(id))
  const front = firstFresh === -1 ? feed : feed.slice(0, firstFresh)
  for (const id of removed) {
    assert.ok(front.includes(id), `${id} is at the front of the feed and old enough to be removed`)
    assert.ok(!isInFlight(world, home, id), `${id} is not in flight`)
  }
  // Each step of the pass looks only at the first events, so events behind those in flight may stay.
  for (const id of front.filter((each) => !removed.includes(each)).slice(0, limit))
    assert.ok(mayBeInFlight(world, home, id, front), `${id} is old and stays although no worker can be sending it`)
}

/** Whether a worker has leased the event for its first attempt and may be sending it. */
function isInFlight({ time }: World, home: Home, eventId: string): boolean {
  return present(home).some(
    ({ lane, deliveries }) =>
      isLeaseRunning(lane, time) && lane.leased.includes(eventId) && deliveries.get(eventId)?.state === 'feed',
  )
}

/**
 * Whether a store may treat the event as in flight. A store may know only the most deliveries that a lease can contain.
 * It then keeps that many of the lane's next events, which can include events older than the lane.
 */
function mayBeInFlight({ time }: World, home: Home, eventId: string, front: readonly string[]): boolean {
  return present(home).some(({ lane, deliveries }) => {
    if (!isLeaseRunning(lane, time)) return false
    const next = front.filter((id) => deliveries.get(id)?.state === 'feed').slice(0, lane.room)
    return next.includes(eventId) || lane.older.has(eventId)
  })
}

/**
 * Ends the deliveries that a lane skips, and returns how many there are. A leased lane skips exactly the `removed`
 * events. Any other lane skips all events up to the last removed event (`passed`), and loses a lease that has expired.
 */
async function overtake(
  { store, time }: World,
  subscription: ModelSubscription,
  removed: readonly string[],
  passed: readonly string[],
): Promise<number> {
  const { ref, lane, deliveries, state } = subscription
  const ranges = await store.maintenance.expiredRanges(ref)
  const expired = ranges.reduce((sum, range) => sum + range.deliveries, 0) - subscription.expired
  const isHeld = isLeaseRunning(lane, time)
  const skipped = (isHeld ? removed : passed).filter((id) => deliveries.get(id)?.state === 'feed')
  // If a lane had no work when its subscription was disabled, later events are not necessarily counted.
  if (state === 'active') assert.equal(expired, skipped.length, `deliveries of ${ref.id} that expired`)
  else assert.ok(expired >= 0 && expired <= skipped.length, `${expired} expired of ${skipped.length} for ${ref.id}`)
  if (expired === 0) return 0
  for (const id of skipped.slice(0, expired)) deliveries.get(id)!.state = 'expired'
  subscription.expired += expired
  lane.overtaken++
  if (!isHeld) lane.holder = undefined
  return expired
}

/** Tries to resend a removed event. That has no effect, and the outcome says why. */
async function resendRemoved({ store }: World, home: Home, eventId: string): Promise<void> {
  for (const { ref, state, expired, attempts, deliveries } of home.subscriptions) {
    const outcome = await store.deliveryLog.resend(ref, eventId, ENTRY)
    const known = state === 'disabled' ? 'disabled' : 'expired'
    const delivery = deliveries.get(eventId)
    // A store keeps no list of events that it removed before any attempt, only of the ranges that contain them.
    const isKnown =
      expired > 0 || delivery?.state === 'retry' || attempts.some((attempt) => attempt.eventId === eventId)
    const expected = state === 'removed' ? ['unknown'] : isKnown ? [known] : delivery ? [known, 'unknown'] : ['unknown']
    assert.ok(expected.includes(outcome), `resending ${eventId} to ${ref.id}: ${outcome}, not ${expected}`)
  }
}

/** Removes old attempts in a whole pass. */
export async function retainAttempts(world: World, minutes: number, limit: number): Promise<void> {
  const counts = await retainAll(world.store, { ...KEEP, attemptsMs: waitOf(minutes) }, limit)
  let removed = 0
  for (const { attempts } of allOf(world)) {
    const fresh = attempts.findIndex(({ startedAt }) => startedAt > world.time - minutes * MINUTE)
    removed += attempts.splice(0, fresh === -1 ? attempts.length : fresh).length
  }
  assert.deepEqual(counts, { ...NOTHING, attempts: removed }, 'attempts that were removed')
  await compareAttempts(world)
}

/** Removes old responses, and all but the newest of each subscription, in a whole pass. */
export async function retainResponses(world: World, minutes: number, limit: number, newest: number): Promise<void> {
  const horizons = { ...KEEP, responsesMs: waitOf(minutes), maxResponses: newest }
  const counts = await retainAll(world.store, horizons, limit)
  let removed = 0
  for (const { attempts } of allOf(world)) {
    const stored = attempts.filter(({ response }) => response !== undefined)
    for (const [index, attempt] of stored.entries()) {
      if (attempt.startedAt > world.time - minutes * MINUTE && index >= stored.length - newest) continue
      attempt.response = undefined
      removed++
    }
  }
  assert.deepEqual(counts, { ...NOTHING, responses: removed }, 'responses that were removed')
  await compareAttempts(world)
}

/** Deletes subscriptions that were removed long enough ago, with their logs, in a whole pass. */
export async function retainSubscriptions(world: World, minutes: number, limit: number): Promise<void> {
  const counts = await retainAll(world.store, { ...KEEP, subscriptionsMs: waitOf(minutes) }, limit)
  const expected = { ...NOTHING }
  for (const home of world.homes) {
    const isDeleted = ({ removedAt = Number.POSITIVE_INFINITY }: ModelSubscription): boolean =>
      removedAt <= world.time - minutes * MINUTE
    for (const { ref, attempts } of home.subscriptions.filter(isDeleted)) {
      expected.subscriptions++
      expected.attempts += attempts.length
      const page = { eventId: undefined, before: undefined, limit: 10 }
      assert.deepEqual(await world.store.deliveryLog.attempts(ref, page), [], `the log of ${ref.id}`)
      assert.equal(await remove(world.store, ref), 'unknown')
    }
    home.subscriptions = home.subscriptions.filter((subscription) => !isDeleted(subscription))
  }
  assert.deepEqual(counts, expected, 'subscriptions that were deleted')
}

function present({ subscriptions }: Home): ModelSubscription[] {
  return subscriptions.filter(({ state }) => state !== 'removed')
}

function allOf({ homes }: World): ModelSubscription[] {
  return homes.flatMap(({ subscriptions }) => subscriptions)
}
