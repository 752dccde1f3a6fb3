import type { SubscriptionWithHealth } from '@callboard/core'
import {
  type AccountActivity,
  type ActivityRange,
  type AttemptCount,
  type AttemptHistory,
  CAPS,
  combineReports,
  countAttempts,
  ENOUGH_ATTEMPTS,
  lastPeriods,
  type OverviewState,
  PERIODS,
  type RequestOf,
  type Store,
  type SubscriptionRef,
  sumCounts,
  targetHost,
} from '@callboard/core/store'
import { attendingWorkers } from '../attending-workers.ts'
import { standingIn } from '../lanes/lanes.ts'
import { pendingEvents } from '../lanes/pending-events.ts'
import {
  type DeliveryHistory,
  type EventState,
  findSubscription,
  type MemoryState,
  present,
  presentSubscriptions,
  type SubscriptionState,
} from '../memory-state.ts'
import { shown } from './subscription-store.ts'

export function createHealthStore(state: MemoryState): Store<unknown>['health'] {
  const withHealth = (subscription: SubscriptionState): SubscriptionWithHealth => ({
    ...shown(state, subscription),
    health: healthOf(state, subscription),
  })
  const newestFirst = ({ accountId, mode }: Omit<SubscriptionRef, 'id'>): SubscriptionState[] => {
    const home = state.accounts.get(accountId)?.modes[mode]
    return home === undefined ? [] : present(home).sort((a, b) => (a.laneId < b.laneId ? 1 : -1))
  }
  return {
    async overview({ state: asked, search, only = {}, before, limit, ...owner }) {
      const all = newestFirst(owner)
      const found = all.filter(
        (subscription) =>
          (before === undefined || subscription.laneId < before) &&
          (asked === undefined || isIn(asked, subscription)) &&
          (search === undefined || isFound(inLowerCase(search), subscription)) &&
          hasValues(only, subscription),
      )
      const page = found.slice(0, limit)
      return {
        subscriptions: page.map(withHealth),
        next: found.length > limit ? page.at(-1)?.laneId : undefined,
        counts: countsOf(all),
      }
    },

    async activity({ range, limit, ...owner }) {
      const all = newestFirst(owner)
      const summed = all.slice(0, CAPS.summed)
      const active = summed.filter(({ record }) => record.state === 'active')
      const now = state.now()
      const activities = summed.map((subscription) => {
        const periods = periodsOf(subscription, range, now)
        return { subscription: shown(state, subscription), periods, sum: sumCounts(periods) }
      })
      const pending = active.flatMap((subscription) => pendingEvents(state, subscription).map(({ event }) => event))
      const retrying = active.reduce((sum, { retries }) => sum + retries.size, 0)
      return {
        counts: countsOf(all),
        periods: lastPeriods(range, now, new Map()).map((period, index) => ({
          ...period,
          ...sumCounts(activities.map(({ periods }) => periods[index])),
        })),
        pending: Math.min(pending.length, CAPS.waiting),
        retrying: Math.min(retrying, CAPS.waiting),
        oldestPendingAt: oldestOf(pending),
        slowest: comparable(activities)
          .sort((a, b) => meanMs(b.sum) - meanMs(a.sum))
          .slice(0, limit)
          .map(({ subscription, periods }) => ({ subscription, periods })),
      }
    },

    async findWithHealth(ref) {
      const subscription = findSubscription(state, ref)
      return subscription && withHealth(subscription)
    },

    async history(ref) {
      const subscription = findSubscription(state, ref)
      return subscription && historyOf(subscription, state.now())
    },

    async troubled({ owner, reasons, limit, latelyMs, lateMs }) {
      const now = state.now()
      const wakeAt = ({ lane }: SubscriptionState): number => lane.wakeAt ?? Number.POSITIVE_INFINITY
      const late = (subscription: SubscriptionState): boolean =>
        now - (oldestPendingAt(state, subscription)?.getTime() ?? now) >= lateMs
      const present = owner === undefined ? presentSubscriptions(state) : newestFirst(owner).slice(0, CAPS.summed)
      const active = present.filter(({ record }) => record.state === 'active')
      const waiting = [...active].sort((a, b) => wakeAt(a) - wakeAt(b))
      const kinds = [
        active
          .filter(({ lane }) => lane.failingSince !== undefined)
          .sort((a, b) => (a.lane.failingSince ?? 0) - (b.lane.failingSince ?? 0)),
        waiting.filter((subscription) => subscription.lane.state !== 'leased' && now - wakeAt(subscription) >= lateMs),
        waiting.filter(
          (subscription) => subscription.lane.state === 'leased' && (wakeAt(subscription) <= now || late(subscription)),
        ),
        present
          .filter(({ record, disabledAt = Number.NEGATIVE_INFINITY }) => {
            const { disabledReason: reason = 'account' } = record
            return reasons.includes(reason) && disabledAt >= now - latelyMs
          })
          .sort((a, b) => (b.disabledAt ?? 0) - (a.disabledAt ?? 0)),
      ]
      const found = new Set(kinds.flatMap((kind) => kind.slice(0, limit)))
      return [...found].map(withHealth)
    },
  }
}

/** Adds attempts to the count of the current hour. */
export function countHour({ hours }: DeliveryHistory, counted: AttemptCount, now: number): void {
  const hour = hourOf(now)
  // Hours are in the order of time, so only the oldest are looked at.
  for (const each of hours.keys()) {
    if (each > hour - 24 * PERIODS.month.length) break
    hours.delete(each)
  }
  hours.set(hour, sumCounts([counted, hours.get(hour)]))
}

/** Only activities with enough attempts, or all with any if none has enough. */
function comparable<Activity extends { readonly sum: AttemptCount }>(activities: readonly Activity[]): Activity[] {
  const from = (least: number): Activity[] => activities.filter(({ sum }) => sum.delivered + sum.failed >= least)
  const enough = from(ENOUGH_ATTEMPTS)
  return enough.length > 0 ? enough : from(1)
}

function historyOf(subscription: SubscriptionState, now: number): AttemptHistory {
  const newest = [...subscription.history.attempts].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, CAPS.history)
  const sent = newest.filter(({ outcome }) => outcome !== 'expired')
  const took = sent.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
  const at = (share: number): number => took[Math.ceil(share * took.length) - 1] ?? 0
  const minutes = new Map<number, AttemptCount>()
  for (const attempt of sent) {
    const minute = Math.floor(attempt.startedAt.getTime() / PERIODS.hour.ms)
    minutes.set(minute, sumCounts([countAttempts([attempt]), minutes.get(minute)]))
  }
  const lastHour = lastPeriods('hour', now, minutes)
  const isWhole =
    newest.length < CAPS.history ||
    newest.some(({ startedAt }) => startedAt.getTime() < (lastHour[0]?.at.getTime() ?? 0))
  return {
    took: took.length === 0 ? undefined : { attempts: took.length, p50Ms: at(0.5), p95Ms: at(0.95) },
    minutes: isWhole ? lastHour : undefined,
    days: periodsOf(subscription, 'month', now),
  }
}

function periodsOf({ history }: SubscriptionState, range: ActivityRange, now: number) {
  const { hours } = history
  if (range === 'day') return lastPeriods(range, now, hours)
  const days = new Map<number, AttemptCount>()
  for (const [hour, count] of hours) days.set(dayOf(hour), sumCounts([count, days.get(dayOf(hour))]))
  return lastPeriods(range, now, days)
}

/** The hour that contains `time`, as a number of hours since the epoch. */
function hourOf(time: number): number {
  return Math.floor(time / PERIODS.day.ms)
}

/** The day in UTC that contains `hour`, as a number of days since the epoch. */
function dayOf(hour: number): number {
  return Math.floor(hour / 24)
}

function isIn(asked: OverviewState, { record, lane }: SubscriptionState): boolean {
  if (asked === 'failing') return record.state === 'active' && lane.failingSince !== undefined
  return record.state === asked
}

function hasValues(only: NonNullable<RequestOf<'health', 'overview'>['only']>, { record }: SubscriptionState): boolean {
  return (['source', 'integration', 'externalRef', 'targetUrl'] as const).every(
    (field) => only[field] === undefined || record[field] === only[field],
  )
}

function isFound(search: string, { record }: SubscriptionState): boolean {
  const { targetUrl, externalRef = '', integration, description = '' } = record
  return [targetUrl, externalRef, integration, description].some((text) => inLowerCase(text).includes(search))
}

/** Converts only A to Z to lower case, as the port requires. */
function inLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function healthOf(state: MemoryState, subscription: SubscriptionState): SubscriptionWithHealth['health'] {
  const { lane, record, retries, history } = subscription
  const stopped = record.state === 'disabled'
  const { wakeAt: wakesAt } = lane
  const last = history.attempts.reduce<(typeof history.attempts)[number] | undefined>(
    (latest, attempt) => (latest === undefined || attempt.id > latest.id ? attempt : latest),
    undefined,
  )
  const now = state.now()
  return {
    failing:
      lane.failingSince === undefined
        ? undefined
        : { since: new Date(lane.failingSince), attempts: lane.failedAttempts },
    pausedUntil: lane.state !== 'paused' || wakesAt === undefined || wakesAt <= now ? undefined : new Date(wakesAt),
    nextAttemptAt:
      lane.state === 'disabled' || wakesAt === undefined || (lane.state === 'leased' && wakesAt > now)
        ? undefined
        : new Date(wakesAt),
    personalData: standingIn(state, { record: { ...record, state: 'active' } }).personalData,
    disabledAt: stopped && subscription.disabledAt !== undefined ? new Date(subscription.disabledAt) : undefined,
    heldBack:
      lane.state === 'leased' || wakesAt === undefined || wakesAt > now
        ? undefined
        : heldBackAt(state, record.targetUrl),
    retrying: stopped ? 0 : Math.min(retries.size, CAPS.retries),
    oldestPendingAt: stopped ? undefined : oldestPendingAt(state, subscription),
    lastAttempt: last && {
      outcome: last.outcome,
      status: last.status,
      reason: last.reason,
      at: last.startedAt,
      eventId: last.eventId,
      durationMs: last.durationMs,
    },
    hours: lastPeriods('day', now, history.hours),
  }
}

/** The workers' limit on requests to the target's host, if any lanes are waiting because of it; otherwise undefined. */
function heldBackAt(state: MemoryState, targetUrl: string): SubscriptionWithHealth['health']['heldBack'] {
  const { heldBack } = combineReports(attendingWorkers(state).map(({ report }) => report))
  const found = heldBack.find(({ host }) => host === targetHost(targetUrl))
  return found && { limit: found.limit, reason: found.reason }
}

/** The time at which the oldest event with a pending or retrying delivery was published; undefined if there is none. */
export function oldestUndelivered(state: MemoryState, subscription: SubscriptionState): number | undefined {
  const home = state.accounts.get(subscription.record.accountId)?.modes[subscription.record.mode]
  const retried = [...subscription.retries.keys()].flatMap((id) => home?.events.get(id)?.publishedAt ?? [])
  const pending = oldestPendingAt(state, subscription)?.getTime()
  return [...retried, ...(pending === undefined ? [] : [pending])].sort((a, b) => a - b)[0]
}

function oldestPendingAt(state: MemoryState, subscription: SubscriptionState): Date | undefined {
  const [next] = pendingEvents(state, subscription)
  return next && new Date(next.event.publishedAt)
}

function oldestOf(events: readonly EventState[]): Date | undefined {
  return events.length === 0 ? undefined : new Date(Math.min(...events.map(({ publishedAt }) => publishedAt)))
}

function countsOf(subscriptions: readonly SubscriptionState[]): AccountActivity['counts'] {
  const count = (counted: OverviewState): number =>
    Math.min(subscriptions.filter((subscription) => isIn(counted, subscription)).length, CAPS.subscriptions)
  return {
    all: Math.min(subscriptions.length, CAPS.subscriptions),
    failing: count('failing'),
    disabled: count('disabled'),
  }
}

/** The average duration of the counted attempts, of which there must be at least one. */
function meanMs({ delivered, failed, durationMs }: AttemptCount): number {
  return durationMs / (delivered + failed)
}
