import type { Account, Mode } from '@callboard/core'
import { recordEntry } from '../audit/record-entry.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import type { Statement } from '../sql/statement.ts'

export const findAccount: Statement<Account, { id: string }> = {
  name: 'find-account',
  text: `select id, name from callboard.accounts where id = :id and deleted_at is null`,
}

export const listAccounts: Statement<Account, { after: string; limit: number }> = {
  name: 'list-accounts',
  text: `
select id, name from callboard.accounts where id > :after and deleted_at is null order by id limit :limit::int`,
}

export interface OwnerRow {
  account_id: string
  mode: Mode
}

/** No index begins with the id of an event, so `evt` looks the id up in one account after the other. */
export const ownersOf: Readonly<Record<'key' | 'sub' | 'evt', Statement<OwnerRow, { id: string }>>> = {
  key: {
    name: 'owner-of-key',
    text: `select account_id, mode from callboard.api_keys where id = :id::uuid`,
  },
  sub: {
    name: 'owner-of-subscription',
    text: `select account_id, mode from callboard.subscriptions where id = :id::uuid`,
  },
  evt: {
    name: 'owners-of-event',
    text: `
select a.id as account_id, m.mode from callboard.accounts a cross join (values ('live'), ('test')) m(mode)
cross join lateral ${eventByKey('a.id', 'm.mode', ':id::uuid')} e
order by a.id, m.mode`,
  },
}

export const renameAccount: Statement<{ id: string }, { id: string; name: string; entry: string }> = {
  name: 'rename-account',
  text: `
with renamed as (
  update callboard.accounts set name = :name where id = :id and deleted_at is null and name <> :name returning id
),
recorded as (
  ${recordEntry(':entry::jsonb', 'renamed')}
)
select id from callboard.accounts where id = :id and deleted_at is null`,
}

/**
 * The first step of deleting an account: afterwards, its keys are unknown and nothing is published for it. The
 * account's row stays, so that its id is never reused. Runs after `lockCreates` and `lockIssues`, so that the purge
 * finds every subscription and key created before, and a later creation finds the account closed.
 */
export const closeAccount: Statement<{ id: string }, { id: string; entry: string }> = {
  name: 'close-account',
  text: `
with closed as (
  update callboard.accounts set deleted_at = callboard.clock(), name = ''
  where id = :id and deleted_at is null returning id
),
recorded as (
  ${recordEntry(':entry::jsonb', 'closed')}
)
select id from callboard.accounts where id = :id`,
}
