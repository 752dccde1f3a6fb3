import { rowsOf } from '../sql/rows-of.ts'
import type { Statement } from '../sql/statement.ts'
import { recordEntry } from './record-entry.ts'

export interface AbsentAccountsRow {
  /** The ids that no account ever had. */
  absent: string[]
  /** The ids of deleted accounts. */
  deleted: string[]
}

/**
 * Reads which accounts do not exist. Returns no row if the accounts must be created in a transaction of the caller's
 * (`within`) and none is proven yet.
 */
export const absentAccounts: Statement<AbsentAccountsRow, { ids: readonly string[]; within: boolean }> = {
  name: 'absent-accounts',
  text: `
select
  array(
    select i.id from unnest(:ids::text[]) i(id)
    where not exists (select from callboard.accounts a where a.id = i.id)
  ) as absent,
  array(
    select a.id from callboard.accounts a where a.id = any (:ids::text[]) and a.deleted_at is not null
  ) as deleted
where case when :within::boolean then callboard.in_transaction() else true end`,
}

export interface NewAccountRow {
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly entry: string
}

const ACCOUNTS = rowsOf<NewAccountRow>('accounts', { id: 'text', name: 'text', entry: 'text' })

/**
 * Creates accounts that do not exist, each with its entry in the audit trail, in key order. Waits for other
 * transactions that create one of them, and then leaves that one as it is.
 */
export const createAccounts: Statement<{ id: string }, { accounts: readonly NewAccountRow[] }> = {
  name: 'create-accounts',
  text: `
with created as (
  insert into callboard.accounts (id, name)
  select accounts.id, accounts.name from ${ACCOUNTS} order by accounts.id collate "C"
  on conflict do nothing
  returning id
),
recorded as (
  ${recordEntry('accounts.entry::jsonb', `created c join ${ACCOUNTS} on accounts.id = c.id`)}
)
select id from created`,
}
