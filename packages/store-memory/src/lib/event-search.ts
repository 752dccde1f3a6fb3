import type { DeliveryState } from '@callboard/core'
import type { FoundEvent, RequestOf, ResultOf } from '@callboard/core/store'
import type { EventState, MemoryState } from './memory-state.ts'
import { deliveryTo } from './stores/delivery-log.ts'

type EventSearch = RequestOf<'events', 'searchEvents'>

export function searchEvents(state: MemoryState, request: EventSearch): ResultOf<'events', 'searchEvents'> {
  const { accountId, mode, type, after, limit, horizonMs } = request
  const home = state.accounts.get(accountId)?.modes[mode]
  const timeline = type === undefined ? home?.timeline : home?.timelineByType.get(type)
  const oldest = state.now() - horizonMs
  const found: FoundEvent[] = []
  for (const event of timeline?.before(after) ?? []) {
    if (event.publishedAt < oldest || !matches(event, request)) continue
    const counted = deliveriesOf(event)
    if (request.failing && !(hasFailed(event) && isFailing(counted.deliveries))) continue
    found.push({ ...event.stored, ...counted, more: false })
    if (found.length > limit) break
  }
  const events = found.slice(0, limit)
  const last = found.length > limit ? events.at(-1) : undefined
  return { events, next: last && { occurredAt: last.occurredAt.getTime(), id: last.id } }
}

function matches({ stored }: EventState, { id, subject, from, to }: EventSearch): boolean {
  const { occurredAt } = stored
  const names = [stored.subject.id, `${stored.subject.type} ${stored.subject.id}`]
  return (
    (id === undefined || stored.id === id) &&
    (subject === undefined || names.includes(subject)) &&
    (from === undefined || occurredAt >= from) &&
    (to === undefined || occurredAt < to)
  )
}

function deliveriesOf(event: EventState): Pick<FoundEvent, 'deliveries' | 'due'> {
  const deliveries: Partial<Record<DeliveryState, number>> = {}
  let due = 0
  for (const subscription of event.home.subscriptions.values()) {
    const delivery = deliveryTo(subscription, event)
    if (delivery === undefined) continue
    const { state, attempts } = delivery
    deliveries[state] = (deliveries[state] ?? 0) + 1
    if (state !== 'skipped' && (state !== 'disabled' || attempts > 0)) due++
  }
  return { deliveries, due }
}

/**
 * Whether the store has a record of a failed delivery of the event: a retry after an attempt, or an entry in `ended`.
 * Deliveries that ended as a range do not count.
 */
function hasFailed({ home, stored }: EventState): boolean {
  return [...home.subscriptions.values()].some(
    ({ removed, retries, history }) =>
      !removed && ((retries.get(stored.id)?.attempts ?? 0) > 0 || history.ended.has(stored.id)),
  )
}

function isFailing(deliveries: FoundEvent['deliveries']): boolean {
  return Object.keys(deliveries).some((each) => each !== 'pending' && each !== 'delivered')
}
