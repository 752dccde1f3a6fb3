import type { SubscriptionWithHealth } from '@callboard/core'
import {
  type AttemptCount,
  type AttemptHistory,
  combineReports,
  idFromUuid,
  lastPeriods,
  readWorkerReport,
  type Store,
  uuidFromId,
} from '@callboard/core/store'
import type { Database } from '../database/database.ts'
import { activities } from '../health/activity.ts'
import { attemptHistory, type HistoryRow } from '../health/attempt-history.ts'
import type { CountedPeriod, HealthRow } from '../health/health-of.ts'
import { findHealth, overviews } from '../health/overview.ts'
import { troubled, troubledOfAccount } from '../health/troubled.ts'
import { dateOf, optionalDate } from '../sql/row-values.ts'
import { LAST_ID } from '../sql/uuid-range.ts'
import { subscriptionKey } from '../subscriptions/subscription-key.ts'
import { toSubscription } from '../subscriptions/subscription-row.ts'

/** A search looks at no more than this many subscriptions for one page, which takes about 5 ms. */
const SEARCHED = 10_000

export function createHealthStore(database: Database): Store<unknown>['health'] {
  return {
    async overview({ accountId, mode, state, search, only = {}, before, limit }) {
      const { source = null, integration = null, externalRef = null, targetUrl = null } = only
      const selects = [search, ...Object.values(only)].some((condition) => condition !== undefined)
      const step = selects ? SEARCHED : limit + 1
      const rows = await database.run(overviews[state ?? 'all'], {
        accountId,
        mode,
        before: before === undefined ? LAST_ID : uuidFromId('sub', before),
        step,
        search: search === undefined ? null : inLowerCase(search),
        only: { source, integration, externalRef, targetUrl },
        limit: limit + 1,
      })
      const found = rows.flatMap((row) => (row.id === null ? [] : [row]))
      const [first] = rows
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1)?.id : first?.looked_at === step ? first.last_id : undefined
      return {
        subscriptions: page.map(withHealth),
        next: last ? idFromUuid('sub', last) : undefined,
        counts: { all: first?.counted ?? 0, failing: first?.failing ?? 0, disabled: first?.disabled ?? 0 },
      }
    },
    async findWithHealth(ref) {
      const key = await subscriptionKey(database, ref)
      const [row] = key === undefined ? [] : await database.run(findHealth, key)
      return row && withHealth(row)
    },
    async history(ref) {
      const key = await subscriptionKey(database, ref)
      const [row] = key === undefined ? [] : await database.run(attemptHistory, key)
      return row && toHistory(row)
    },
    async activity({ accountId, mode, range, limit }) {
      const rows = await database.run(activities[range], { accountId, mode, limit })
      const [first] = rows
      if (first === undefined) throw new Error('the store returned no activity')
      const periodsOf = (counted: CountedPeriod[] | null) => lastPeriods(range, first.clock, countedPeriods(counted))
      return {
        counts: { all: first.counted, failing: first.failing, disabled: first.disabled },
        periods: periodsOf(first.all_periods),
        pending: first.pending,
        retrying: first.retrying,
        oldestPendingAt: optionalDate(first.oldest_pending_at),
        slowest: rows.flatMap((row) =>
          row.id === null ? [] : [{ subscription: toSubscription(row), periods: periodsOf(row.periods) }],
        ),
      }
    },
    async troubled({ owner, ...request }) {
      const rows = await (owner === undefined
        ? database.run(troubled, request)
        : database.run(troubledOfAccount, { ...request, ...owner }))
      return rows.map(withHealth)
    },
  }
}

/** Converts only A to Z to lower case, as `lower` does in the statement, where the collation is "C". */
function inLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function withHealth(row: HealthRow): SubscriptionWithHealth {
  return { ...toSubscription(row), health: toHealth(row) }
}

function toHealth(row: HealthRow): SubscriptionWithHealth['health'] {
  const { failing_since: since, event_id: eventId, outcome, started_at: at } = row
  return {
    failing: since === null ? undefined : { since: dateOf(since), attempts: row.failed_attempts },
    pausedUntil: optionalDate(row.paused_until),
    nextAttemptAt: optionalDate(row.next_attempt_at),
    personalData: row.sends_personal_data,
    disabledAt: optionalDate(row.disabled_at),
    heldBack: toHeldBack(row),
    retrying: row.retrying,
    oldestPendingAt: optionalDate(row.oldest_pending_at),
    lastAttempt:
      eventId === null || outcome === null || at === null
        ? undefined
        : {
            outcome,
            status: row.status ?? undefined,
            reason: row.reason ?? undefined,
            at: dateOf(at),
            eventId: idFromUuid('evt', eventId),
            durationMs: row.duration_ms ?? 0,
          },
    hours: lastPeriods('day', row.clock, countedPeriods(row.hours)),
  }
}

function toHistory({ clock, attempts, p50, p95, has_hour: hasHour, ...counted }: HistoryRow): AttemptHistory {
  return {
    took: p50 === null || p95 === null ? undefined : { attempts, p50Ms: p50, p95Ms: p95 },
    minutes: hasHour ? lastPeriods('hour', clock, countedPeriods(counted.minutes)) : undefined,
    days: lastPeriods('month', clock, countedPeriods(counted.days)),
  }
}

function countedPeriods(counted: readonly CountedPeriod[] | null): ReadonlyMap<number, AttemptCount> {
  return new Map(
    (counted ?? []).map(([period, delivered, failed, durationMs]) => [period, { delivered, failed, durationMs }]),
  )
}

function toHeldBack({ held_back: heldBack }: HealthRow): SubscriptionWithHealth['health']['heldBack'] {
  // A worker reports a host at most once, so each entry comes from a different worker.
  const reports = (heldBack ?? []).map((host) => readWorkerReport({ heldBack: [host] }))
  const [found] = combineReports(reports).heldBack
  return found && { limit: found.limit, reason: found.reason }
}
