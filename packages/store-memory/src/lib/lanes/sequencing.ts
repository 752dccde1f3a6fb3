import { laneActs } from '@callboard/core/store'
import type { EventState, MemoryState } from '../memory-state.ts'
import { putLane } from './lanes.ts'

/** Assigns positions to the oldest events in the outbox, at most `limit`. Returns the number of these events. */
export function sequence(state: MemoryState, limit: number): number {
  const batch = state.outbox.splice(0, limit)
  for (const event of inFeedOrder(batch)) append(state, event)
  return batch.length
}

/** Keeps each subject's events together, in order of their sequence, where the first of them has arrived. */
function inFeedOrder(batch: readonly EventState[]): EventState[] {
  const subjects = new Map<string, EventState[]>()
  for (const event of batch) subjects.set(event.subjectKey, [...(subjects.get(event.subjectKey) ?? []), event])
  return [...subjects.values()].flatMap((events) =>
    events.sort((a, b) => a.stored.subject.sequence - b.stored.subject.sequence),
  )
}

function append(state: MemoryState, event: EventState): void {
  const position = ++state.position
  const { home, stored } = event
  home.positions.set(stored.id, position)
  const feed = home.feedByType.get(stored.type)
  if (feed === undefined) home.feedByType.set(stored.type, [{ position, event }])
  else feed.push({ position, event })

  const now = state.now()
  for (const subscription of home.subscriptionsByType.get(stored.type) ?? []) {
    const { record, lane, since } = subscription
    if (record.state === 'active' && event.arrival > since)
      putLane(state, subscription, laneActs.woken({ ...lane, head: position }, now))
  }
}
