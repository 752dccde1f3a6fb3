import { NOTHING_REMOVED, type ResultOf, type RetentionHorizons, type Store } from '@callboard/core/store'
import { findRemains, type PurgeParameters, purgeSteps } from '../accounts/purge.ts'
import { retainEntries } from '../audit/retain-entries.ts'
import type { Database, Runner } from '../database/database.ts'
import { retainKeys } from '../keys/key-statements.ts'
import { retainFeedTimes } from '../sequencing/feed-times.ts'
import { dateOf } from '../sql/row-values.ts'
import { FIRST_ID } from '../sql/uuid-range.ts'
import { subscriptionKey } from '../subscriptions/subscription-key.ts'
import { expiredRanges } from './expired-ranges.ts'
import { retainEvents } from './retain-events.ts'
import {
  nextLogs,
  retainAdded,
  retainAttempts,
  retainDays,
  retainEndedDeliveries,
  retainEndedRanges,
  retainHours,
  retainNewestResponses,
  retainResponses,
  retainSubscriptions,
} from './retain-logs.ts'
import {
  claimRetentionRound,
  endPass,
  lockRetention,
  moveRetention,
  type RetentionRow,
  startAccounts,
} from './retention-statements.ts'

/** How many accounts one step looks at. */
const ACCOUNTS = 200
/** How many subscriptions one step looks at. */
const SUBSCRIPTIONS = 100
/** Sorts after every mode. A mode with this appended sorts after the mode itself and before the next mode. */
const AFTER = '~'

type RetentionVerbs = Pick<Store<unknown>['maintenance'], 'claimRetentionRound' | 'retain' | 'expiredRanges'>

export function createRetentionVerbs(database: Database): RetentionVerbs {
  return {
    async claimRetentionRound(everyMs) {
      return (await database.run(claimRetentionRound, { everyMs })).length > 0
    },
    async retain(horizons, limit) {
      const { eventsMs: horizonMs, responsesMs } = horizons
      const [step] = await database.run(retainEvents, { horizonMs, responsesMs, accounts: ACCOUNTS, limit })
      if (step === undefined) return { state: 'busy', ...NOTHING_REMOVED }
      if (step.task === 'events')
        return { state: 'more', ...NOTHING_REMOVED, events: step.events, expired: step.expired }
      return database.transaction(async (tx) => {
        const [place] = await tx.run(lockRetention, {})
        if (place?.task === 'logs') return logsStep(tx, place, horizons, limit)
        if (place?.task === 'accounts') return accountsStep(tx, place, horizons, limit)
        // Another process has taken a step in between.
        return { state: 'busy', ...NOTHING_REMOVED }
      })
    },
    async expiredRanges(ref) {
      const key = await subscriptionKey(database, ref)
      const rows = key === undefined ? [] : await database.run(expiredRanges, key)
      return rows.map(({ ended_at, ...range }) => ({ ...range, endedAt: dateOf(ended_at) }))
    },
  }
}

async function logsStep(
  tx: Runner,
  place: RetentionRow,
  { eventsMs, attemptsMs, maxResponses, subscriptionsMs }: RetentionHorizons,
  limit: number,
): Promise<ResultOf<'maintenance', 'retain'>> {
  const after = { accountId: place.account_id, mode: place.mode, id: place.subscription_id }
  const logs = await tx.run(nextLogs, { after, limit: SUBSCRIPTIONS })
  const last = logs.at(-1)
  if (last === undefined) {
    await tx.run(startAccounts, {})
    return { state: 'more', ...NOTHING_REMOVED }
  }
  const through = { accountId: last.account_id, mode: last.mode, id: last.id }
  const chosen = { after, through, removedMs: subscriptionsMs }
  const step = { ...chosen, limit }
  const endedMs = Math.max(eventsMs, attemptsMs)
  const attempts = await count(tx.run(retainAttempts, { ...step, horizonMs: attemptsMs }))
  const aged = await count(tx.run(retainResponses, step))
  const surplus = await count(tx.run(retainNewestResponses, { ...step, kept: maxResponses }))
  const deliveries = await count(tx.run(retainEndedDeliveries, { ...step, horizonMs: endedMs }))
  const ranges = await count(tx.run(retainEndedRanges, { ...step, horizonMs: endedMs }))
  const added = await count(tx.run(retainAdded, step))
  const hours = await count(tx.run(retainHours, step))
  const days = await count(tx.run(retainDays, step))
  const removed = { ...NOTHING_REMOVED, attempts, responses: aged + surplus }
  // A statement that reached its limit may have left more rows, so the next step handles the same subscriptions again.
  if (Math.max(attempts, aged, surplus, deliveries, ranges, added, hours, days) >= limit)
    return { state: 'more', ...removed }
  const subscriptions = await count(tx.run(retainSubscriptions, chosen))
  await tx.run(moveRetention, through)
  return { state: 'more', ...removed, subscriptions }
}

/**
 * Removes rows that were committed for a deleted account after its deletion, or that an interrupted deletion left. Once
 * there are none, removes old entries of the audit trail, and keys that have long been invalid.
 */
async function accountsStep(
  tx: Runner,
  { account_id: accountId, mode }: RetentionRow,
  { auditMs, eventsMs }: RetentionHorizons,
  limit: number,
): Promise<ResultOf<'maintenance', 'retain'>> {
  const [found] = await tx.run(findRemains, { accountId, mode, accounts: ACCOUNTS })
  if (found !== undefined && found.account_id !== null) {
    const hadRows = await purgeSome(tx, { accountId: found.account_id, limit })
    // If transactions of the platform hold locks on all remaining rows of an account, the account waits for the next
    // pass.
    const next = { accountId: found.account_id, mode: hadRows ? '' : AFTER }
    await tx.run(moveRetention, { ...next, id: FIRST_ID })
    return { state: 'more', ...NOTHING_REMOVED }
  }
  if (found === undefined || found.walked < ACCOUNTS) {
    const auditEntries = await count(tx.run(retainEntries, { horizonMs: auditMs, limit }))
    const keys = await count(tx.run(retainKeys, { horizonMs: auditMs, limit }))
    const done = Math.max(auditEntries, keys) < limit
    if (done) {
      await tx.run(retainFeedTimes, { horizonMs: eventsMs })
      await tx.run(endPass, {})
    }
    return { state: done ? 'done' : 'more', ...NOTHING_REMOVED, auditEntries, keys }
  }
  await tx.run(moveRetention, { accountId: found.last ?? '', mode: AFTER, id: FIRST_ID })
  return { state: 'more', ...NOTHING_REMOVED }
}

/** Runs the purge steps until one finds rows. Resolves to whether one did. */
async function purgeSome(tx: Runner, parameters: PurgeParameters): Promise<boolean> {
  for (const step of purgeSteps) if ((await step(tx, parameters)) > 0) return true
  return false
}

async function count(rows: Promise<{ n: number }[]>): Promise<number> {
  return (await rows)[0]?.n ?? 0
}
