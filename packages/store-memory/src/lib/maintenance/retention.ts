import { type ExpiredRange, isSelected, type Lane, type ResultOf, type RetentionHorizons } from '@callboard/core/store'
import { feedTimesAfter } from '../feed-times.ts'
import { isHeld, putLane } from '../lanes/lanes.ts'
import type { AccountState, EventState, FeedEntry, MemoryState, ModeState, SubscriptionState } from '../memory-state.ts'

/**
 * Runs one step of a retention pass. Only a step that removes nothing ends the pass, because more old events may follow
 * the events that are in flight.
 */
export function retain(
  state: MemoryState,
  horizons: RetentionHorizons,
  limit: number,
): ResultOf<'maintenance', 'retain'> {
  const now = state.now()
  const counts = { events: 0, expired: 0, attempts: 0, responses: 0, subscriptions: 0, auditEntries: 0, keys: 0 }
  const left = (used: number): number => Math.max(0, limit - used)
  for (const { modes, keys } of state.accounts.values()) {
    counts.keys += retainKeys(state, { modes, keys }, now - horizons.auditMs, left(counts.keys))
    for (const home of [modes.live, modes.test]) {
      const { events, expired } = retainEvents(state, home, now - horizons.eventsMs, left(counts.events))
      counts.events += events
      counts.expired += expired
      for (const subscription of home.subscriptions.values()) {
        if ((subscription.removedAt ?? now) < now - horizons.subscriptionsMs) {
          if (counts.subscriptions === limit) continue
          home.subscriptions.delete(subscription.record.id)
          counts.attempts += subscription.history.attempts.length
          counts.subscriptions++
          continue
        }
        counts.attempts += retainAttempts(subscription, now - horizons.attemptsMs, left(counts.attempts))
        counts.responses += retainResponses(subscription, now - horizons.responsesMs, left(counts.responses))
        counts.responses += retainNewest(subscription, horizons.maxResponses, left(counts.responses))
      }
    }
  }
  state.feedTimes = feedTimesAfter(state, now - horizons.eventsMs)
  counts.auditEntries = retainAuditEntries(state, now - horizons.auditMs, limit)
  const { expired: _, ...removed } = counts
  return { state: Math.max(...Object.values(removed)) === 0 ? 'done' : 'more', ...counts }
}

function retainKeys(
  state: MemoryState,
  { modes, keys }: Pick<AccountState, 'modes' | 'keys'>,
  oldest: number,
  limit: number,
): number {
  const subscriptions = [modes.live, modes.test].flatMap((mode) => [...mode.subscriptions.values()])
  const used = new Set(subscriptions.filter(({ removed }) => !removed).map(({ record }) => record.confirmedBy))
  const old = [...keys.values()]
    .filter(({ record: { id, revokedAt, expiresAt } }) => {
      const endedAt = Math.min(revokedAt?.getTime() ?? Infinity, expiresAt?.getTime() ?? Infinity)
      return endedAt < oldest && !used.has(id)
    })
    .slice(0, limit)
  for (const { record, token } of old) {
    keys.delete(record.id)
    state.keysByToken.delete(token)
  }
  return old.length
}

function retainAuditEntries(state: MemoryState, oldest: number, limit: number): number {
  const old = state.auditEntries.slice(0, limit).filter(({ at }) => at.getTime() < oldest)
  state.auditEntries = state.auditEntries.slice(old.length)
  return old.length
}

/**
 * Removes the events at the front of the feed that are past the horizon. An event that a worker may be sending stays
 * until the worker has settled it or its lease has ended.
 */
function retainEvents(
  state: MemoryState,
  home: ModeState,
  oldest: number,
  limit: number,
): { events: number; expired: number } {
  const old = front(home, oldest, limit)
  const inFlight = new Set<FeedEntry>()
  for (const subscription of home.subscriptions.values()) {
    const { lane, selections, leasedRoom } = subscription
    // If the head shows no work, the event was sequenced after the subscription was disabled: no lease contains it.
    if (!isHeld(state, subscription) || lane.head <= lane.settledThrough) continue
    const next = old.filter(
      ({ position, event }) => position > lane.settledThrough && isSelected(selections, event.stored.type, position),
    )
    for (const entry of next.slice(0, leasedRoom)) inFlight.add(entry)
  }
  const gone = new Set(old.filter((entry) => !inFlight.has(entry)))
  let expired = 0
  for (const subscription of home.subscriptions.values()) {
    expired += overtake(state, subscription, old, gone)
    for (const { event } of gone) subscription.history.added.delete(event.stored.id)
  }
  for (const [type, entries] of home.feedByType)
    home.feedByType.set(
      type,
      entries.filter((entry) => !gone.has(entry)),
    )
  for (const { event, position } of gone) {
    remove(home, event)
    home.feedStart = Math.max(home.feedStart, position)
  }
  return { events: gone.size, expired }
}

/**
 * The events at the front of the feed that are past the horizon, at most `limit`. Stops at the first event that is not.
 */
function front({ feedByType }: ModeState, oldest: number, limit: number): FeedEntry[] {
  const entries = [...feedByType.values()]
    .flatMap((entries) => entries.slice(0, limit))
    .sort((a, b) => a.position - b.position)
  const fresh = entries.findIndex(({ event }) => event.publishedAt >= oldest)
  return entries.slice(0, Math.min(fresh === -1 ? entries.length : fresh, limit))
}

/** Whether the event belongs to the lane and is after its `settledThrough`. */
function isPending({ position, event }: FeedEntry, { lane, selections, since }: SubscriptionState): boolean {
  return position > lane.settledThrough && event.arrival > since && isSelected(selections, event.stored.type, position)
}

function remove(home: ModeState, event: EventState): void {
  home.events.delete(event.stored.id)
  if (event.idempotencyKey !== undefined) home.eventsByKey.delete(event.idempotencyKey)
  home.positions.delete(event.stored.id)
  home.timeline.remove(event)
  home.timelineByType.get(event.stored.type)?.remove(event)
}

/**
 * Records the pending deliveries of removed events as expired, and moves the lane past them. If a worker holds the
 * lane, `settledThrough` stays, so that another worker finds the deliveries in flight if the first one dies. An expired
 * lease is fenced, so it can no longer be settled.
 */
function overtake(
  state: MemoryState,
  subscription: SubscriptionState,
  old: readonly FeedEntry[],
  gone: ReadonlySet<FeedEntry>,
): number {
  const { lane, removed } = subscription
  const lastGone = [...gone].at(-1)
  if (removed || lane.head <= lane.settledThrough || lastGone === undefined) return 0
  const held = isHeld(state, subscription)
  const missed = old.filter(
    (entry) => entry.position <= lastGone.position && (!held || gone.has(entry)) && isPending(entry, subscription),
  )
  const first = missed[0]
  const last = missed.at(-1)
  if (first === undefined || last === undefined) return 0
  const after = held ? first.position - 1 : lane.settledThrough
  const range = { after, through: last.position, deliveries: missed.length, endedAt: new Date(state.now()) }
  subscription.expired = withRange(subscription.expired, range, lane.settledThrough)
  if (held) return missed.length
  const moved = { ...lane, settledThrough: last.position }
  const isLapsed = lane.state === 'leased' || lane.leasedUntil !== undefined
  const lapsed: Lane = {
    ...moved,
    state: lane.state === 'leased' ? 'idle' : lane.state,
    leasedUntil: undefined,
    epoch: lane.epoch + 1,
  }
  putLane(state, subscription, isLapsed ? lapsed : moved)
  return missed.length
}

/** Appends a range, or extends the last range if no event of the lane is between them. */
function withRange(ranges: readonly ExpiredRange[], range: ExpiredRange, settledThrough: number): ExpiredRange[] {
  const before = ranges.at(-1)
  if (before === undefined || before.through < settledThrough) return [...ranges, range]
  const deliveries = before.deliveries + range.deliveries
  const through = Math.max(before.through, range.through)
  return [...ranges.slice(0, -1), { ...range, after: before.after, through, deliveries }]
}

function retainAttempts({ history }: SubscriptionState, oldest: number, limit: number): number {
  const fresh = history.attempts.findIndex(({ startedAt }) => startedAt.getTime() >= oldest)
  const old = Math.min(fresh === -1 ? history.attempts.length : fresh, limit)
  history.attempts.splice(0, old)
  return old
}

function retainResponses({ history }: SubscriptionState, oldest: number, limit: number): number {
  let removed = 0
  for (const [index, attempt] of history.attempts.entries()) {
    if (removed === limit || attempt.startedAt.getTime() >= oldest) break
    if (attempt.response === undefined) continue
    history.attempts[index] = { ...attempt, response: undefined }
    removed++
  }
  return removed
}

/** Removes all responses except the newest `kept`. */
function retainNewest({ history }: SubscriptionState, kept: number, limit: number): number {
  const stored = [...history.attempts.entries()].filter(([, { response }]) => response !== undefined)
  const surplus = stored.slice(0, Math.max(0, stored.length - kept)).slice(0, limit)
  for (const [index, attempt] of surplus) history.attempts[index] = { ...attempt, response: undefined }
  return surplus.length
}
