import type { Runner } from '../database/database.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { Statement } from '../sql/statement.ts'

/**
 * The tables that have rows of an account, in the order in which those rows are deleted: first the tables that delivery
 * needs, last those that people read. `rate_windows` comes after `api_keys`: deleting a key waits for requests that
 * are creating the key's windows (`admit_requests`).
 */
const OWNED = [
  'subscription_types',
  'lanes',
  'lane_hours',
  'lane_days',
  'outbox',
  'retries',
  'subscriptions',
  'ended_ranges',
  'ended_deliveries',
  'added_deliveries',
  'attempts',
  'feed',
  'feed_starts',
  'events',
  'subjects',
  'api_keys',
  'rate_windows',
] as const

export interface PurgeParameters {
  readonly accountId: string
  readonly limit: number
}

/**
 * Each statement deletes rows of a deleted account from one table, and returns how many it found. It may fail to delete
 * a row that changed while it waited for the row's lock, so the table may have rows left until `n` is 0.
 *
 * An open transaction of the platform may have locked counters in `subjects`. These are left for later, because waiting
 * could take hours. All other locks are held by Callboard's own transactions, which are short.
 */
const DELETE_ROWS: readonly Statement<{ n: number }, PurgeParameters>[] = OWNED.map((table) => ({
  name: `purge-${table.replaceAll('_', '-')}`,
  text: `
with found as materialized (
  select ctid from callboard.${table} where account_id = :accountId
  limit :limit::int${table === 'subjects' ? ' for update skip locked' : ''}
),
gone as (
  delete from callboard.${table} where ctid = any (array(select ctid from found))
)
select count(*)::int as n from found`,
}))

/** Deletes rows of a deleted account from one table. Resolves to how many rows it found; 0 once the table has none. */
type PurgeStep = (runner: Runner, parameters: PurgeParameters) => Promise<number>

/**
 * A step for each table that has rows of an account. Each step needs a transaction of its own, so that it waits for
 * locks in one table only.
 *
 * A statement that adds rows for an account first locks the lane, subscription, key or outbox row to which they belong,
 * and holds the lock until it commits. So once each step in turn has found nothing, no such statement is running.
 * Closing the account waits for subscriptions and keys that are being created. Only `publish` takes no such lock, so
 * its rows may be committed later; retention removes them.
 */
export const purgeSteps: readonly PurgeStep[] = DELETE_ROWS.map((statement) => async (runner, parameters) => {
  const [row] = await runner.run(statement, parameters)
  return row?.n ?? 0
})

/** The outbox has no index by account. It is left out, because an event in the outbox is also in `events`. */
const PROBED: readonly string[] = OWNED.filter((table) => table !== 'outbox')

export interface RemainsRow {
  /** How many deleted accounts were looked at, and the id of the last one. */
  walked: number
  last: string | null
  /** The first account looked at that still has rows; null if none has. */
  account_id: string | null
}

/**
 * Finds the next deleted account that still has rows. Every pass looks at all deleted accounts, because a transaction
 * that was open at the time of the deletion may publish for them at any time later. That takes an index lookup per
 * account and table.
 */
export const findRemains: Statement<RemainsRow, { accountId: string; mode: string; accounts: number }> = {
  name: 'find-remains',
  text: `
with walked as materialized (
  select id from callboard.accounts
  where deleted_at is not null and id >= :accountId and (id, '~') > (:accountId, :mode)
  order by id limit :accounts::int
),
remaining as materialized (
  select w.id from walked w
  where ${PROBED.map((table) => `exists (select from ${rowByKey(table, { account_id: 'w.id' })} r)`).join('\n    or ')}
  order by w.id limit 1
)
select (select count(*) from walked)::int as walked, (select max(id) from walked) as last,
  (select id from remaining) as account_id`,
}
