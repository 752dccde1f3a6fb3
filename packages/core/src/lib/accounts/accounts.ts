import { CallboardError } from '../errors.ts'
import type { Account, AccountStore } from '../ports/account-store.ts'
import { assertText } from '../text-rules.ts'

/** Length of an account's id and name, in code points. */
const NAME_TEXT = { min: 1, max: 255 } as const
const ID_TEXT = { ...NAME_TEXT, maxBytes: 512 } as const

export interface Accounts {
  /** Throws `ACCOUNT_EXISTS`, also for an id that was deleted, or `VALIDATION_FAILED` for an empty, overlong or unprintable id or name. */
  create(account: Account): Promise<void>
  find(accountId: string): Promise<Account | undefined>
  /** Events published from now on carry the new name. Throws `ACCOUNT_UNKNOWN`. */
  rename(account: Account): Promise<void>
  /**
   * Deletes the account and all that is its own; its id is spent. Call it again if it was cut off, or for what a transaction
   * that was open meanwhile has committed since. Throws `ACCOUNT_UNKNOWN`.
   */
  delete(accountId: string): Promise<void>
}

export function createAccounts(store: AccountStore): Accounts {
  return {
    async create(account) {
      check(account)
      if (!(await store.create(account))) throw new CallboardError('ACCOUNT_EXISTS', 'There is an account of this id.')
    },
    async find(accountId) {
      assertAccountId('id', accountId)
      return store.find(accountId)
    },
    async rename(account) {
      check(account)
      if (!(await store.rename(account))) throw unknownAccount()
    },
    async delete(accountId) {
      assertAccountId('id', accountId)
      if (!(await store.delete(accountId))) throw unknownAccount()
    },
  }
}

/**
 * Lets a text through that may be an account's id, so that no other ever reaches a database.
 *
 * @throws CallboardError `VALIDATION_FAILED` with one issue that names the field.
 */
export function assertAccountId(path: string, accountId: string): void {
  assertText(path, accountId, ID_TEXT)
}

export function unknownAccount(): CallboardError {
  return new CallboardError('ACCOUNT_UNKNOWN', 'There is no account of this id. Make it with accounts.create first.')
}

function check({ id, name }: Account): void {
  assertAccountId('id', id)
  assertText('name', name, NAME_TEXT)
}
