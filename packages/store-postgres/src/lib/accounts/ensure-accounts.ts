import type { CreatedAccounts, NewAccount } from '@callboard/core/store'
import type { Runner } from '../database/database.ts'
import { entryJson } from '../stores/audit-store.ts'
import { proven } from '../transactions/within-transaction.ts'
import { absentAccounts, createAccounts } from './absent-accounts.ts'

/**
 * Implements `AccountStore.create`, on a runner that `within` says is a transaction of the caller's. `create` gets a
 * runner for the statement that creates accounts.
 */
export async function ensureAccounts(
  runner: Runner,
  accounts: readonly NewAccount[],
  within: boolean,
  create: (work: (runner: Runner) => Promise<{ id: string }[]>) => Promise<{ id: string }[]> = (work) => work(runner),
): Promise<CreatedAccounts> {
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
