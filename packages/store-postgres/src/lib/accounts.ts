import type { AccountStore } from '@callboard/core/store'
import type { Database } from './database.ts'
import {
  closeAccount,
  createAccount,
  deleteRateWindows,
  findAccount,
  purgeSteps,
  renameAccount,
} from './statements/accounts.ts'
import { lockCreates, lockIssues } from './statements/subscriptions/locks.ts'

export function createAccountStore(database: Database): AccountStore {
  return {
    async create({ id, name }) {
      return (await database.run(createAccount, { id, name })).length > 0
    },
    async find(accountId) {
      const [account] = await database.run(findAccount, { id: accountId })
      return account
    },
    async rename({ id, name }) {
      return (await database.run(renameAccount, { id, name })).length > 0
    },
    async delete(accountId) {
      // Waits for calls that have seen the account and are adding a subscription or a key.
      const closed = await database.transaction(async (tx) => {
        await tx.run(lockCreates, { accountId })
        await tx.run(lockIssues, { accountId })
        return tx.run(closeAccount, { id: accountId })
      })
      if (closed.length === 0) return false
      // A call that changes a subscription meanwhile can add rows to a table that is empty already, but only until the
      // subscription and its lane are deleted, which waits for that call. So the tables are emptied until a whole pass
      // finds nothing.
      for (let left = true; left; ) left = await purge(database, accountId)
      return true
    },
  }
}

/** Deletes what an account owns. Returns whether there was anything. */
async function purge(database: Database, accountId: string): Promise<boolean> {
  let found = false
  for (const step of [deleteRateWindows, ...purgeSteps])
    for (let removed = 1; removed > 0; ) {
      removed = (await database.run(step, { accountId }))[0]?.n ?? 0
      found ||= removed > 0
    }
  return found
}
