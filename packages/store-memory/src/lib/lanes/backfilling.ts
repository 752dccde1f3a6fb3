import { CAPS, type LaneChange, type LeasedLane, laneActs, type Retry } from '@callboard/core/store'
import { positionBefore } from '../feed-times.ts'
import type { EventState, FeedEntry, MemoryState, ModeState, SubscriptionState } from '../memory-state.ts'
import { subjectKeyOf } from './lanes.ts'

/** What starting a backfill changes; undefined if the present one includes its events already. */
export function startBackfill(
  state: MemoryState,
  subscription: SubscriptionState,
  { since }: { readonly since: Date },
): LaneChange | undefined {
  const { record, lane, retries, history } = subscription
  const home = state.accounts.get(record.accountId)?.modes[record.mode]
  const feed = home === undefined ? [] : feedOf(home)
  const to = Math.max(lane.began, ...feed.flatMap((each) => (isEarlier(subscription, each.event) ? each.position : [])))
  const unsequenced = state.outbox.filter(
    (event) =>
      event.home === home &&
      record.eventTypes.includes(event.stored.type) &&
      event.publishedAt >= since.getTime() &&
      isEarlier(subscription, event) &&
      isLeft(subscription, event),
  )
  const change = laneActs.backfilled(lane, retries, {
    since: since.getTime(),
    after: Math.min(positionBefore(state, since.getTime()), to),
    to,
    unsequenced: unsequenced.map((event) => ({ eventId: event.stored.id, subject: subjectKeyOf(event) })),
    now: state.now(),
  })
  if (change !== undefined) for (const { stored } of unsequenced) history.added.add(stored.id)
  return change
}

/** The events of a running backfill that a lease goes through, at most `room`, and the part of the range that it covers. */
export function backfillAhead(
  state: MemoryState,
  subscription: SubscriptionState,
  room: number,
): { readonly entries: readonly FeedEntry[]; readonly part: LeasedLane['backfill'] } {
  const { record, lane } = subscription
  const { backfill } = lane
  const home = state.accounts.get(record.accountId)?.modes[record.mode]
  if (backfill?.state !== 'running' || home === undefined || room < 1) return { entries: [], part: undefined }
  const examined = feedOf(home)
    .filter(({ position, event }) => {
      const isInRange = position > backfill.reached && position <= backfill.to
      return isInRange && record.eventTypes.includes(event.stored.type)
    })
    .slice(0, CAPS.backfill)
  const entries = examined
    .filter(({ event }) => event.publishedAt >= backfill.since)
    .filter(({ event }) => isEarlier(subscription, event) && isLeft(subscription, event))
    .slice(0, room)
  const last =
    entries.length === room ? entries.at(-1) : examined.length === CAPS.backfill ? examined.at(-1) : undefined
  return { entries, part: { after: backfill.reached, through: last?.position ?? backfill.to } }
}

/** Whether a running backfill has the event still to send. */
export function awaitsBackfill(subscription: SubscriptionState, event: EventState): boolean {
  const { backfill } = subscription.lane
  const position = event.home.positions.get(event.stored.id)
  return (
    backfill?.state === 'running' &&
    position !== undefined &&
    position > backfill.reached &&
    position <= backfill.to &&
    subscription.record.eventTypes.includes(event.stored.type) &&
    event.publishedAt >= backfill.since &&
    isEarlier(subscription, event) &&
    isLeft(subscription, event)
  )
}

/** Whether the event was, or is to be, sent by a backfill. */
export function isBackfilled(subscription: SubscriptionState, event: EventState): boolean {
  const { lane, selections, history, retries } = subscription
  const { backfill } = lane
  const { id, type } = event.stored
  const position = event.home.positions.get(id)
  if (backfill === undefined || position === undefined) return false
  if (position <= backfill.from || position > backfill.to || !selections.some(({ types }) => types.includes(type)))
    return false
  const isRecorded = history.attempts.some(({ eventId }) => eventId === id) || history.ended.has(id) || retries.has(id)
  return isRecorded || awaitsBackfill(subscription, event)
}

/** The publish time of the last event that the backfill has passed. */
export function reachedAt(state: MemoryState, { record, lane: { backfill } }: SubscriptionState): Date | undefined {
  const home = state.accounts.get(record.accountId)?.modes[record.mode]
  if (backfill === undefined || home === undefined) return undefined
  const last = feedOf(home).findLast(({ position }) => position <= backfill.reached)
  return last === undefined || last.event.publishedAt < backfill.since ? undefined : new Date(last.event.publishedAt)
}

/** Whether the event is from before the subscription was created, last enabled or skipped to now. */
function isEarlier({ since }: SubscriptionState, event: EventState): boolean {
  return event.arrival <= since
}

/** Whether the event was not delivered and is not retrying. */
function isLeft(
  {
    history,
    retries,
  }: { readonly history: SubscriptionState['history']; readonly retries: ReadonlyMap<string, Retry> },
  { stored: { id } }: EventState,
): boolean {
  return !retries.has(id) && history.attempts.findLast(({ eventId }) => eventId === id)?.outcome !== 'delivered'
}

/** All events of an account in one mode that have a position, in the order of the feed. */
function feedOf({ feedByType }: ModeState): FeedEntry[] {
  return [...feedByType.values()].flat().sort((a, b) => a.position - b.position)
}
