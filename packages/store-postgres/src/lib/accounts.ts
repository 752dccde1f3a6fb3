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
      if ((await database.run(closeAccount, { id: accountId })).length === 0) return false
      await database.run(deleteRateWindows, { accountId })
      for (const step of purgeSteps) {
        let removed = Number.POSITIVE_INFINITY
        while (removed > 0) removed = (await database.run(step, { accountId }))[0]?.n ?? 0
      }
      return true
    },
  }
}
