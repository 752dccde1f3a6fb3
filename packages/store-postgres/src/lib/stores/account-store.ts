import { isId, isSubscriptionId, type Store, uuidFromId } from '@callboard/core/store'
import { lockCreates, lockIssues } from '../accounts/account-locks.ts'
import { closeAccount, findAccount, listAccounts, ownersOf, renameAccount } from '../accounts/account-statements.ts'
import { ensureAccounts } from '../accounts/ensure-accounts.ts'
import { purgeSteps } from '../accounts/purge.ts'
import { entryJson } from '../audit/record-entry.ts'
import type { Database, SqlClient } from '../database/database.ts'
import { findOwnId } from '../subscriptions/subscription-key.ts'
import { withinTransaction } from '../transactions/within-transaction.ts'

/**
 * A transaction deletes at most this many rows, so that other transactions do not wait long for its locks. Deleting
 * them takes 12-17 ms.
 */
const ROWS = 5_000

export function createAccountStore(database: Database): Store<SqlClient>['accounts'] {
  return {
    createAccounts: (accounts, tx) =>
      tx === undefined
        ? ensureAccounts(database, accounts, false, (work) => database.transaction(work))
        : withinTransaction(database, tx, (runner) => ensureAccounts(runner, accounts, true)),
    async find(accountId) {
      const [account] = await database.run(findAccount, { id: accountId })
      return account
    },
    list: (request) => database.run(listAccounts, { ...request }),
    async ownersOf(id) {
      const kind = (['key', 'sub', 'evt'] as const).find((prefix) => isId(prefix, id))
      const owners =
        kind !== undefined
          ? await database.run(ownersOf[kind], { id: uuidFromId(kind, id) })
          : isSubscriptionId(id)
            ? await database.run(findOwnId, { ownId: id })
            : []
      return owners.map(({ account_id: accountId, mode }) => ({ accountId, mode }))
    },
    async rename({ id, name }, entry) {
      return (await database.run(renameAccount, { id, name, entry: entryJson(entry) })).length > 0
    },
    async delete(accountId, entry) {
      const closed = await database.transaction(async (tx) => {
        await tx.run(lockCreates, { accountId })
        await tx.run(lockIssues, { accountId })
        return (await tx.run(closeAccount, { id: accountId, entry: entryJson(entry) })).length > 0
      })
      if (!closed) return false
      let had = true
      while (had) had = await purge(database, accountId)
      return true
    },
  }
}

/** Deletes the account's rows from one table after another. Resolves to whether there were any. */
async function purge(database: Database, accountId: string): Promise<boolean> {
  let had = false
  for (const step of purgeSteps) while ((await step(database, { accountId, limit: ROWS })) > 0) had = true
  return had
}
