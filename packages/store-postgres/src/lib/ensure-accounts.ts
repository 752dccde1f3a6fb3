import type { NewAccount } from '@callboard/core/store'
import type { Runner } from './database.ts'
import { absentAccounts, createAccounts } from './statements/ensure-accounts.ts'
import { proven } from './transactions/within-transaction.ts'

/**
 * Implements `AccountStore.ensure`, on a runner that `within` says is a transaction of the caller's. `create` gets a
 * runner for the statement that creates accounts.
 */
export async function ensureAccounts(
  runner: Runner,
  accounts: readonly NewAccount[],
  within: boolean,
  create: (work: (runner: Runner) => Promise<unknown>) => Promise<unknown> = (work) => work(runner),
): Promise<string[]> {
  const ids = accounts.map(({ id }) => id)
  const rows = await proven(
    () => runner.run(absentAccounts, { ids, within }),
    ({ length }) => length > 0,
  )
  const { absent, deleted } = rows[0] ?? { absent: [], deleted: [] }
  if (deleted.length > 0 || absent.length === 0) return deleted
  const created = accounts.filter(({ id }) => absent.includes(id)).map(toRow)
  await create((tx) => tx.run(createAccounts, { accounts: created }))
  return []
}

function toRow({ id, name, entry }: NewAccount) {
  const { actor, action, details } = entry
  return { id, name, actor: actor.type, actor_id: actor.id ?? null, action, details: JSON.stringify(details) }
}
