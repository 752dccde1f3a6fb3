import type { Account } from '@callboard/core'
import type { Statement } from './statement.ts'

export const createAccount: Statement<{ id: string }, { id: string; name: string }> = {
  name: 'create-account',
  text: `insert into callboard.accounts (id, name) values (:id, :name) on conflict do nothing returning id`,
}

export const findAccount: Statement<Account, { id: string }> = {
  name: 'find-account',
  text: `select id, name from callboard.accounts where id = :id and deleted_at is null`,
}

export const renameAccount: Statement<{ id: string }, { id: string; name: string }> = {
  name: 'rename-account',
  text: `update callboard.accounts set name = :name where id = :id and deleted_at is null returning id`,
}

/**
 * The first step of deleting an account: from now on its keys are unknown and nothing is published for it. The
 * account's row stays, so that its id is never reused. A transaction that is still open may yet commit an event for the
 * account.
 */
export const closeAccount: Statement<{ id: string }, { id: string }> = {
  name: 'close-account',
  text: `
update callboard.accounts set deleted_at = coalesce(deleted_at, callboard.clock()), name = ''
where id = :id returning id`,
}

export const deleteRateWindows: Statement<{ n: number }, { accountId: string }> = {
  name: 'delete-rate-windows',
  text: `
with gone as (
  delete from callboard.rate_windows r using callboard.api_keys k
  where k.account_id = :accountId and r.key_id = k.id returning 1
)
select count(*)::int as n from gone`,
}

/**
 * The tables that have rows of an account, in the order in which those rows are deleted: first the tables that delivery
 * needs, last those that people read.
 */
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

/** Each statement deletes up to 5,000 rows (12-17 ms), so that other transactions do not wait long for its locks. */
export const purgeSteps: readonly Statement<{ n: number }, { accountId: string }>[] = OWNED.map((table) => ({
  name: `purge-${table.replace('_', '-')}`,
  text: `
with gone as (
  delete from callboard.${table} where ctid = any (array(
    select ctid from callboard.${table} where account_id = :accountId limit 5000
  ))
  returning 1
)
select count(*)::int as n from gone`,
}))
