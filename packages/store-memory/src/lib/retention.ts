import { type ExpiredRange, isInShare, type RetentionHorizons, type RetentionStep } from '@callboard/core/store'
import type { EventState, FeedEntry, MemoryState, ModeState, SubscriptionState } from './memory-state.ts'

/**
 * Runs one step of a retention pass. A step that removes fewer than `limit` records of every kind is the last one of
 * its pass.
 */
export function retain(state: MemoryState, horizons: RetentionHorizons, limit: number): RetentionStep {
  const now = state.now()
  const counts = { events: 0, expired: 0, attempts: 0, responses: 0, subscriptions: 0 }
  const left = (used: number): number => Math.max(0, limit - used)
  for (const { modes } of state.accounts.values()) {
    for (const home of [modes.live, modes.test]) {
      const { events, expired } = retainEvents(home, now - horizons.eventsMs, left(counts.events), now)
      counts.events += events
      counts.expired += expired
      for (const subscription of home.subscriptions.values()) {
        if ((subscription.removedAt ?? now) < now - horizons.subscriptionsMs) {
          if (counts.subscriptions === limit) continue
          home.subscriptions.delete(subscription.record.id)
          counts.attempts += subscription.lane.history.attempts.length
          counts.subscriptions++
          continue
        }
        counts.attempts += retainAttempts(subscription, now - horizons.attemptsMs, left(counts.attempts))
        counts.responses += retainResponses(subscription, now - horizons.responsesMs, left(counts.responses))
        counts.responses += retainNewest(subscription, horizons.maxResponses, left(counts.responses))
      }
    }
  }
  const { events, attempts, responses, subscriptions } = counts
  return { state: Math.max(events, attempts, responses, subscriptions) < limit ? 'done' : 'more', ...counts }
}

/** Removes events that are past the horizon from the front of the feed. */
function retainEvents(
  home: ModeState,
  oldest: number,
  limit: number,
  now: number,
): { events: number; expired: number } {
  const gone: FeedEntry[] = []
  while (gone.length < limit) {
    const first = firstOf(home)
    if (first === undefined || first.event.publishedAt >= oldest) break
    home.feedByType.get(first.event.stored.type)?.shift()
    remove(home, first.event)
    gone.push(first)
  }
  let expired = 0
  for (const subscription of home.subscriptions.values()) {
    expired += overtake(subscription, gone, now)
    for (const { event } of gone) subscription.lane.history.added.delete(event.stored.id)
  }
  return { events: gone.length, expired }
}

function firstOf({ feedByType }: ModeState): FeedEntry | undefined {
  let first: FeedEntry | undefined
  for (const [entry] of feedByType.values())
    if (entry !== undefined && (first === undefined || entry.position < first.position)) first = entry
  return first
}

function remove(home: ModeState, event: EventState): void {
  home.events.delete(event.stored.id)
  if (event.idempotencyKey !== undefined) home.eventsByKey.delete(event.idempotencyKey)
  home.positions.delete(event.stored.id)
  home.timeline.remove(event)
  home.timelineByType.get(event.stored.type)?.remove(event)
}

/**
 * Moves a lane past the removed events. If the delivery of a removed event was still pending, records it as expired.
 */
function overtake(subscription: SubscriptionState, gone: readonly FeedEntry[], now: number): number {
  const { lane, share, removed } = subscription
  if (removed || lane.head <= lane.cursor) return 0
  const missed = gone.filter(
    ({ position, event }) =>
      position > lane.cursor && event.arrival > lane.since && isInShare(share, event.stored.type, position),
  )
  const last = missed.at(-1)
  if (last === undefined) return 0
  const endedAt = new Date(now)
  const range = { after: lane.cursor, through: last.position, deliveries: missed.length, endedAt }
  subscription.expired = withRange(subscription.expired, range)
  lane.cursor = last.position
  return missed.length
}

/** Appends a range, or extends the last range if it ends where the new one begins. */
function withRange(ranges: readonly ExpiredRange[], range: ExpiredRange): ExpiredRange[] {
  const before = ranges.at(-1)
  if (before?.through !== range.after) return [...ranges, range]
  const deliveries = before.deliveries + range.deliveries
  return [...ranges.slice(0, -1), { ...range, after: before.after, deliveries }]
}

function retainAttempts({ lane: { history } }: SubscriptionState, oldest: number, limit: number): number {
  const fresh = history.attempts.findIndex(({ startedAt }) => startedAt.getTime() >= oldest)
  const old = Math.min(fresh === -1 ? history.attempts.length : fresh, limit)
  history.attempts.splice(0, old)
  return old
}

function retainResponses({ lane: { history } }: SubscriptionState, oldest: number, limit: number): number {
  let removed = 0
  for (const [index, attempt] of history.attempts.entries()) {
    if (removed === limit || attempt.startedAt.getTime() >= oldest) break
    if (attempt.response === undefined) continue
    history.attempts[index] = { ...attempt, response: undefined }
    removed++
  }
  return removed
}

/** Removes all responses except the newest. */
function retainNewest({ lane: { history } }: SubscriptionState, kept: number, limit: number): number {
  const stored = [...history.attempts.entries()].filter(([, { response }]) => response !== undefined)
  const surplus = stored.slice(0, Math.max(0, stored.length - kept)).slice(0, limit)
  for (const [index, attempt] of surplus) history.attempts[index] = { ...attempt, response: undefined }
  return surplus.length
}
