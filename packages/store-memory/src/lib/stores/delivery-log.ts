import type { DeliveryRecord, Subject } from '@callboard/core'
import {
  type DeliveryPage,
  isSelected,
  laneActs,
  type Published,
  type ResendableState,
  type ResendRange,
  type ResentStep,
  type Store,
  type StoredEvent,
} from '@callboard/core/store'
import { awaitsBackfill, isBackfilled } from '../lanes/backfilling.ts'
import { apply, putLane, subjectKeyOf } from '../lanes/lanes.ts'
import { type EventState, findSubscription, type MemoryState, type SubscriptionState } from '../memory-state.ts'
import { recordEntry } from './audit-store.ts'
import { shown as shownSubscription } from './subscription-store.ts'

export function createDeliveryLog(state: MemoryState): Store<unknown>['deliveryLog'] {
  return {
    async page(ref, { state: asked, type, published, before, limit }) {
      const subscription = findSubscription(state, ref)
      if (subscription === undefined) return { deliveries: [], next: undefined }
      const sequenced = feedOf(state, subscription)
        .filter(({ position }) => before === undefined || position < before)
        .filter(({ event }) => type === undefined || event.stored.type === type)
        .filter(({ event }) => isPublished(event, published))
      const shown = sequenced.flatMap(({ position, event }) => {
        const delivery = deliveryOf(subscription, event)
        return asked === undefined || delivery.state === asked ? [{ key: position, delivery }] : []
      })
      return pageOf(shown, limit)
    },

    async find({ accountId, mode, id }, eventId) {
      const home = state.accounts.get(accountId)?.modes[mode]
      const event = home?.events.get(eventId)
      return event && deliveryTo(home?.subscriptions.get(id), event)
    },

    async pageOfEvent({ accountId, mode, eventId }, { state: asked, before, limit }) {
      const home = state.accounts.get(accountId)?.modes[mode]
      const event = home?.events.get(eventId)
      if (home === undefined || event === undefined) return { deliveries: [], next: undefined }
      const newestFirst = [...home.subscriptions.values()].sort((a, b) => (a.laneId < b.laneId ? 1 : -1))
      const shown = newestFirst.flatMap((subscription) => {
        const key = subscription.laneId
        const delivery = deliveryTo(subscription, event)
        if (delivery === undefined || (before !== undefined && key >= before)) return []
        return asked === undefined || delivery.state === asked ? [{ key, delivery }] : []
      })
      return pageOf(shown, limit)
    },

    async attempts({ accountId, mode, id }, { eventId, before, limit }) {
      const all = [...(state.accounts.get(accountId)?.modes[mode].subscriptions.values() ?? [])]
      return all
        .filter(({ record }) => id === undefined || record.id === id)
        .flatMap(({ history }) => history.attempts)
        .filter((attempt) => eventId === undefined || attempt.eventId === eventId)
        .filter((attempt) => before === undefined || attempt.id < before)
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit)
    },

    async newestFailures({ accountId, mode }, limit) {
      const home = state.accounts.get(accountId)?.modes[mode]
      const present = [...(home?.subscriptions.values() ?? [])].filter(({ removed }) => !removed)
      const failed = present.flatMap((subscription) =>
        subscription.history.attempts
          .filter(({ outcome }) => outcome !== 'delivered' && outcome !== 'expired')
          .map(({ response: _response, ...attempt }) => ({ subscription, attempt })),
      )
      const last = new Map<string, (typeof failed)[number]>()
      for (const each of failed.sort((a, b) => (a.attempt.id < b.attempt.id ? -1 : 1)))
        last.set(`${each.attempt.subscriptionId} ${each.attempt.eventId}`, each)
      return [...last.values()]
        .sort((a, b) => (a.attempt.id < b.attempt.id ? 1 : -1))
        .slice(0, limit)
        .map(({ subscription, attempt }) => {
          const stored = home?.events.get(attempt.eventId)?.stored
          const event = stored && { type: stored.type, subject: subjectOf(stored) }
          return { subscription: shownSubscription(state, subscription), attempt, event }
        })
    },

    async resend(ref, eventId, entry) {
      const subscription = findSubscription(state, ref)
      const event = state.accounts.get(ref.accountId)?.modes[ref.mode].events.get(eventId)
      if (subscription === undefined || (event === undefined && !hadIt(subscription, eventId))) return 'unknown'
      if (subscription.record.state === 'disabled') return 'disabled'
      if (event === undefined) return 'expired'
      const outcome = resend(state, subscription, event, { first: true })
      if (outcome !== 'pending') recordEntry(state, entry)
      return outcome
    },

    async resendRange(ref, range, entry) {
      const subscription = findSubscription(state, ref)
      if (subscription === undefined) return 'unknown'
      if (subscription.record.state === 'disabled') return 'disabled'
      const { chosen, ...step } = lookAt(state, subscription, range)
      for (const event of chosen) resend(state, subscription, event, { first: false })
      const { lane } = subscription
      if (lane.state === 'paused' && Object.keys(step.found).length > 0)
        putLane(state, subscription, { ...lane, wakeAt: state.now() })
      if (range.after === undefined && (chosen.length > 0 || step.next !== undefined)) recordEntry(state, entry)
      return step
    },

    async countRange(ref, range) {
      const subscription = findSubscription(state, ref)
      if (subscription === undefined) return 'unknown'
      if (subscription.record.state === 'disabled') return 'disabled'
      const { chosen: _, ...step } = lookAt(state, subscription, range)
      return step
    },
  }
}

/** Looks at one step of a range. `chosen` are the events to resend: the other deliveries in the range are sent anyway. */
function lookAt(
  state: MemoryState,
  subscription: SubscriptionState,
  { states, from, to, after, limit }: ResendRange,
): ResentStep & { readonly chosen: readonly EventState[] } {
  const left = feedOf(state, subscription)
    .reverse()
    .filter(({ position }) => position > (after?.position ?? 0))
  const step = left.slice(0, limit)
  const { lane, retries } = subscription
  const found: Partial<Record<ResendableState, number>> = {}
  const chosen = step.filter(({ event }) => {
    if (!isPublished(event, { from, to })) return false
    const { state: before, nextAttemptAt } = deliveryOf(subscription, event)
    const matching = states.find((each) => each === before)
    if (matching === undefined) return false
    found[matching] = (found[matching] ?? 0) + 1
    if (matching !== 'retrying') return matching !== 'pending'
    if (nextAttemptAt === undefined) return false
    const mayBeInFlight = lane.state === 'leased' && retries.get(event.stored.id)?.resentEpoch !== lane.epoch
    return mayBeInFlight || nextAttemptAt.getTime() > state.now()
  })
  const last = step.at(-1)
  return {
    chosen: chosen.map(({ event }) => event),
    resent: chosen.length,
    found,
    reachedAt: last && new Date(last.event.publishedAt),
    next: left.length > limit && last !== undefined ? { position: last.position, eventId: undefined } : undefined,
  }
}

/**
 * Returns the first `limit` deliveries as a page. `next` is the key of the page's last delivery; undefined if no page
 * follows.
 */
function pageOf<Key>(
  shown: readonly { readonly key: Key; readonly delivery: DeliveryRecord }[],
  limit: number,
): DeliveryPage<Key> {
  return {
    deliveries: shown.slice(0, limit).map(({ delivery }) => delivery),
    next: shown.length > limit ? shown[limit - 1]?.key : undefined,
  }
}

/** The sequenced events that the subscription asked for, and those backfilled or resent to it by hand, newest first. */
function feedOf(
  state: MemoryState,
  subscription: SubscriptionState,
): { readonly position: number; readonly event: EventState }[] {
  const { accountId, mode } = subscription.record
  const home = state.accounts.get(accountId)?.modes[mode]
  if (home === undefined) return []
  const { added } = subscription.history
  const types = new Set(subscription.selections.flatMap(({ types }) => types))
  const own = [...types]
    .flatMap((type) => home.feedByType.get(type) ?? [])
    .filter(({ event }) => isOwn(subscription, event) || isBackfilled(subscription, event))
    .filter(({ event }) => !added.has(event.stored.id))
  const others = [...added].flatMap((id) => {
    const [event, position] = [home.events.get(id), home.positions.get(id)]
    return event === undefined || position === undefined ? [] : [{ event, position }]
  })
  return [...own, ...others].sort((a, b) => b.position - a.position)
}

function isPublished({ publishedAt }: EventState, { from, to }: Partial<Published> = {}): boolean {
  return (from === undefined || publishedAt >= from.getTime()) && (to === undefined || publishedAt < to.getTime())
}

/**
 * Whether a removed event may have belonged to the subscription. For events that retention removed before their first
 * attempt, `expired` has only a range of positions, so any such range may have included the event.
 */
function hadIt({ retries, history, expired }: SubscriptionState, eventId: string): boolean {
  const { attempts, ended } = history
  const attempted = attempts.some((attempt) => attempt.eventId === eventId)
  return attempted || ended.has(eventId) || retries.has(eventId) || expired.length > 0
}

/** Whether the subscription asked for the event. False if the event was only resent to it by hand. */
function isOwn(subscription: SubscriptionState, event: EventState): boolean {
  const { selections, history, retries } = subscription
  const { id, type } = event.stored
  const [, , earlier] = selections
  const position = event.home.positions.get(id)
  if (!isSelected(selections, type, position) || event.arrival <= history.start) return false
  if (position === undefined || position > earlier.through) return true
  return history.attempts.some(({ eventId }) => eventId === id) || history.ended.has(id) || retries.has(id)
}

/** The delivery of an event to a subscription; undefined if the subscription does not get the event. */
export function deliveryTo(subscription: SubscriptionState | undefined, event: EventState): DeliveryRecord | undefined {
  if (subscription === undefined || subscription.removed) return undefined
  const goesThere =
    isOwn(subscription, event) || isBackfilled(subscription, event) || subscription.history.added.has(event.stored.id)
  return goesThere ? deliveryOf(subscription, event) : undefined
}

/**
 * The delivery's state comes from the first of these that exists: its retry, a successful attempt, a backfill that is
 * still to send it, the entry in `ended`. If none exists, the event's position decides. While the subscription is disabled, `disabled` takes the place
 * of `pending` and `retrying`.
 */
function deliveryOf(subscription: SubscriptionState, event: EventState): DeliveryRecord {
  const { record, lane, retries, history, expired } = subscription
  const { stored, home } = event
  const retry = retries.get(stored.id)
  const ended = history.ended.get(stored.id)
  const last = history.attempts.findLast(({ eventId }) => eventId === stored.id)
  const position = home.positions.get(stored.id) ?? Number.POSITIVE_INFINITY
  const stopped = record.state === 'disabled'
  const stateNow = (): DeliveryRecord['state'] => {
    if (retry !== undefined) return stopped ? 'disabled' : retry.attempts === 0 ? 'pending' : 'retrying'
    if (last?.outcome === 'delivered') return 'delivered'
    if (awaitsBackfill(subscription, event)) return 'pending'
    if (ended !== undefined) return ended.state
    if (position > lane.settledThrough) return stopped ? 'disabled' : 'pending'
    return expired.some(({ after, through }) => position > after && position <= through) ? 'expired' : 'delivered'
  }
  return {
    subscriptionId: record.id,
    eventId: stored.id,
    type: stored.type,
    occurredAt: stored.occurredAt,
    subject: subjectOf(stored),
    state: stateNow(),
    // An attempt may succeed after its delivery has ended. The entry in `ended` does not count that attempt, so the
    // attempt's own number comes first.
    attempts: retry?.attempts ?? (last?.outcome === 'delivered' ? last.number : (ended?.attempts ?? last?.number ?? 0)),
    nextAttemptAt: retry?.dueAt === undefined || stopped ? undefined : new Date(retry.dueAt),
    lastAttempt: last && { outcome: last.outcome, status: last.status, reason: last.reason, at: last.startedAt },
  }
}

function subjectOf({ subject: { type, id } }: StoredEvent): Subject {
  return { type, id }
}

function resend(
  state: MemoryState,
  subscription: SubscriptionState,
  event: EventState,
  { first }: { readonly first: boolean },
): ReturnType<typeof laneActs.resent>['outcome'] {
  const { lane, retries, history, since } = subscription
  const eventId = event.stored.id
  const position = event.home.positions.get(eventId)
  const isMine = isOwn(subscription, event)
  const isAhead = (position ?? Number.POSITIVE_INFINITY) > lane.settledThrough
  const { outcome, ...change } = laneActs.resent(lane, retries, {
    eventId,
    subject: subjectKeyOf(event),
    position,
    isPending: isAhead && event.arrival > since && isMine,
    first,
    now: state.now(),
  })
  apply(state, subscription, change)
  if (outcome === 'scheduled') {
    history.ended.delete(eventId)
    if (!isMine) history.added.add(eventId)
  }
  return outcome
}
