import type { NewAccount, ResultOf } from '@callboard/core/store'
import { entryJson, recordEntry } from '../audit/record-entry.ts'
import type { Runner } from '../database/database.ts'
import { rowsOf } from '../sql/rows-of.ts'
import type { Statement } from '../sql/statement.ts'
import { proven } from '../transactions/within-transaction.ts'

interface AbsentAccountsRow {
  /** The ids that no account ever had. */
  absent: string[]
  /** The ids of deleted accounts. */
  deleted: string[]
}

/**
 * Reads which accounts do not exist. Returns no row if the accounts must be created in a transaction of the caller's
 * (`within`) and none is proven yet.
 */
const absentAccounts: Statement<AbsentAccountsRow, { ids: readonly string[]; within: boolean }> = {
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

interface NewAccountRow {
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
const createAccounts: Statement<{ id: string }, { accounts: readonly NewAccountRow[] }> = {
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

/**
 * Implements `AccountStore.createAccounts`, on a runner that `within` says is a transaction of the caller's. `create`
 * gets a runner for the statement that creates accounts.
 */
export async function ensureAccounts(
  runner: Runner,
  accounts: readonly NewAccount[],
  within: boolean,
  create: (work: (runner: Runner) => Promise<{ id: string }[]>) => Promise<{ id: string }[]> = (work) => work(runner),
): Promise<ResultOf<'accounts', 'createAccounts'>> {
  const ids = accounts.map(({ id }) => id)
  const rows = await proven(
    () => runner.run(absentAccounts, { ids, within }),
    ({ length }) => length > 0,
  )
  const { absent, deleted } = rows[0] ?? { absent: [], deleted: [] }
  if (deleted.length > 0 || absent.length === 0) return { created: [], deleted }
  const missing = accounts
    .filter(({ id }) => absent.includes(id))
    .map(({ id, name, entry }) => ({ id, name, entry: entryJson(entry) }))
  const created = await create((tx) => tx.run(createAccounts, { accounts: missing }))
  return { created: created.map(({ id }) => id), deleted }
}
