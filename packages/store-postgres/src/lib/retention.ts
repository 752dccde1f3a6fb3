import {
  isId,
  type MaintenanceStore,
  type RetentionHorizons,
  type RetentionStep,
  uuidFromId,
} from '@callboard/core/store'
import type { Database, Runner } from './database.ts'
import { serialisationFailure } from './failures.ts'
import { dateOf } from './row-values.ts'
import { expiredRanges } from './statements/expired-ranges.ts'
import { findOverdue, lockFront, retainEvents } from './statements/retain-events.ts'
import {
  nextLogs,
  retainAdded,
  retainAttempts,
  retainEndedDeliveries,
  retainEndedRanges,
  retainHours,
  retainResponses,
  retainSubscriptions,
} from './statements/retain-logs.ts'
import {
  endPass,
  lockRetention,
  moveRetention,
  type RetentionRow,
  startLogs,
  takeRetentionTurn,
} from './statements/retention-turn.ts'

/** Accounts, and subscriptions, looked at in one step. */
const ACCOUNTS = 200
const SUBSCRIPTIONS = 100

const NO_SUBSCRIPTION = '00000000-0000-0000-0000-000000000000'
/** Behind every mode: the account is done with. */
const NO_MODE_LEFT = '~'
const NOTHING = { events: 0, expired: 0, attempts: 0, responses: 0, subscriptions: 0 } as const

type RetentionVerbs = Pick<MaintenanceStore, 'takeRetentionTurn' | 'retain' | 'expiredRanges'>

export function createRetentionVerbs(database: Database): RetentionVerbs {
  return {
    async takeRetentionTurn(everyMs) {
      return (await database.run(takeRetentionTurn, [everyMs])).length > 0
    },
    retain: (horizons, limit) =>
      database.transaction(async (tx) => {
        const [place] = await tx.run(lockRetention, [])
        if (place === undefined) return { state: 'busy', ...NOTHING }
        return place.task === 'events' ? eventsStep(tx, place, horizons, limit) : logsStep(tx, place, horizons, limit)
      }),
    async expiredRanges(ref) {
      if (!isId('sub', ref.id)) return []
      const rows = await database.run(expiredRanges, [ref.accountId, ref.mode, uuidFromId('sub', ref.id)])
      return rows.map(({ ended_at, ...range }) => ({ ...range, endedAt: dateOf(ended_at) }))
    },
  }
}

async function eventsStep(
  tx: Runner,
  place: RetentionRow,
  { eventsMs, responsesMs }: RetentionHorizons,
  limit: number,
): Promise<RetentionStep> {
  const [found] = await tx.run(findOverdue, [place.account_id, place.mode, eventsMs, ACCOUNTS])
  if (found !== undefined && found.account_id !== null) {
    await tx.run(lockFront, [found.account_id, found.mode, limit])
    const [row] = await tx.run(retainEvents, [found.account_id, found.mode, eventsMs, limit])
    // Half of an event must not go.
    if (row !== undefined && row.events < row.found) throw serialisationFailure()
    await tx.run(moveRetention, [found.account_id, found.mode, NO_SUBSCRIPTION])
    return { state: 'more', ...NOTHING, events: row?.events ?? 0, expired: row?.expired ?? 0 }
  }
  if (found === undefined || found.walked < ACCOUNTS) await tx.run(startLogs, [responsesMs])
  else await tx.run(moveRetention, [found.last, NO_MODE_LEFT, NO_SUBSCRIPTION])
  return { state: 'more', ...NOTHING }
}

async function logsStep(
  tx: Runner,
  place: RetentionRow,
  { eventsMs, attemptsMs, subscriptionsMs }: RetentionHorizons,
  limit: number,
): Promise<RetentionStep> {
  const after = [place.account_id, place.mode, place.subscription_id]
  const logs = await tx.run(nextLogs, [...after, SUBSCRIPTIONS])
  const last = logs.at(-1)
  if (last === undefined) {
    await tx.run(endPass, [])
    return { state: 'done', ...NOTHING }
  }
  const through = [last.account_id, last.mode, last.id]
  const chosen = [...after, ...through, subscriptionsMs]
  const endedMs = Math.max(eventsMs, attemptsMs)
  const attempts = await count(tx.run(retainAttempts, [...chosen, attemptsMs, limit]))
  const responses = await count(tx.run(retainResponses, [...chosen, limit]))
  const deliveries = await count(tx.run(retainEndedDeliveries, [...chosen, endedMs, limit]))
  const ranges = await count(tx.run(retainEndedRanges, [...chosen, endedMs, limit]))
  const added = await count(tx.run(retainAdded, [...chosen, limit]))
  const hours = await count(tx.run(retainHours, [...chosen, limit]))
  const removed = { ...NOTHING, attempts, responses }
  // With one of them full there may be more of the same subscriptions: the next step stays with them.
  if (Math.max(attempts, responses, deliveries, ranges, added, hours) >= limit) return { state: 'more', ...removed }
  const subscriptions = await count(tx.run(retainSubscriptions, chosen))
  await tx.run(moveRetention, through)
  return { state: 'more', ...removed, subscriptions }
}

async function count(rows: Promise<{ n: number }[]>): Promise<number> {
  return (await rows)[0]?.n ?? 0
}
