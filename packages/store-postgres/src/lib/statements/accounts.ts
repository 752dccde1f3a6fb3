import type { Account } from '@callboard/core'
import type { Statement } from './statement.ts'

export const createAccount: Statement<{ id: string }> = {
  name: 'create-account',
  text: `insert into callboard.accounts (id, name) values ($1, $2) on conflict do nothing returning id`,
}

export const findAccount: Statement<Account> = {
  name: 'find-account',
  text: `select id, name from callboard.accounts where id = $1 and deleted_at is null`,
}

export const renameAccount: Statement<{ id: string }> = {
  name: 'rename-account',
  text: `update callboard.accounts set name = $2 where id = $1 and deleted_at is null returning id`,
}

/**
 * The first step of a deletion: from here on its keys are unknown and nothing is published for it. The row stays as a
 * mark that the id is spent: a transaction that is still open may commit an event later, and that must not be another account's.
 */
export const closeAccount: Statement<{ id: string }> = {
  name: 'close-account',
  text: `update callboard.accounts set deleted_at = coalesce(deleted_at, callboard.clock()), name = '' where id = $1 returning id`,
}

export const deleteRateWindows: Statement<{ n: number }> = {
  name: 'delete-rate-windows',
  text: `
with gone as (
  delete from callboard.rate_windows r using callboard.api_keys k where k.account_id = $1 and r.key_id = k.id returning 1
)
select count(*)::int as n from gone`,
}

/** What an account owns, in the order in which it is removed: what delivers first, what is read last. */
const OWNED: readonly string[] = [
  'subscription_types',
  'lanes',
  'lane_hours',
  'outbox',
  'retries',
  'subscriptions',
  'api_keys',
  'ended_ranges',
  'ended_deliveries',
  'added_deliveries',
  'attempts',
  'feed',
  'events',
  'subjects',
]

/** Small steps, 5,000 rows each (12-17 ms): nobody waits for a deletion. */
export const purgeSteps: readonly Statement<{ n: number }>[] = OWNED.map((table) => ({
  name: `purge-${table.replace('_', '-')}`,
  text: `
with gone as (
  delete from callboard.${table} where ctid = any (array(select ctid from callboard.${table} where account_id = $1 limit 5000)) returning 1
)
select count(*)::int as n from gone`,
}))
