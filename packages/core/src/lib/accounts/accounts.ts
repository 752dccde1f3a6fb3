import type { Recorder } from '../audit/recorder.ts'
import { callersTransaction, type InTransaction } from '../caller-transaction.ts'
import { CallboardError } from '../errors.ts'
import type { Account, AccountMode, AccountStore, NewAccount } from '../ports/account-store.ts'
import type { Issue } from '../validation/issue.ts'
import { assertText, textIssue } from '../validation/text-rules.ts'
import { assertWhole } from '../validation/whole-number.ts'

/** Length of an account's id and name, in code points. */
const NAME_TEXT = { min: 1, max: 255 } as const
const ID_TEXT = { ...NAME_TEXT, maxBytes: 512 } as const

/** @typeParam Tx the type of the caller's own transaction. */
export interface Accounts<Tx = unknown> {
  /**
   * Creates an account. Throws `ACCOUNT_EXISTS` if the id is in use or belonged to a deleted account. Throws
   * `VALIDATION_FAILED` if the id or name is empty, is longer than 255 characters or contains control characters, or if
   * the id is longer than 512 bytes.
   */
  create(account: Account): Promise<void>
  /**
   * Creates those of the accounts that do not exist, in the caller's own transaction if `tx` is given, and returns their
   * ids. It only reads accounts that exist and never renames them. Each creation is recorded in the audit trail. Throws `ACCOUNT_DELETED`,
   * before anything is stored, if one of the ids belonged to a deleted account, and `VALIDATION_FAILED` like `create`.
   *
   * When two transactions create the same account, the second waits until the first ends. If your transaction is
   * REPEATABLE READ or stricter, or if two transactions create accounts in opposite orders with several calls, one of
   * them gets `TRANSACTION_CONFLICT`: roll it back and run it again. Within one call, the order makes no difference.
   */
  ensure(accounts: readonly Account[], options?: InTransaction<Tx>): Promise<{ readonly created: readonly string[] }>
  find(account: Pick<Account, 'id'>): Promise<Account | undefined>
  /**
   * Lists accounts, sorted by id. To continue, pass the last id as `after`. Throws `CONFIGURATION_INVALID` for a
   * `limit` that is not 1 to 1,000; it is 100 by default.
   */
  list(query?: { readonly after?: string | undefined; readonly limit?: number | undefined }): Promise<Account[]>
  /**
   * Finds the account and mode of a key, a subscription or an event by its id. A key or a subscription has at most one
   * owner. Several accounts may have published an event with the same id of their own; all of them are listed. For
   * operators of the platform: it searches all accounts.
   */
  ownersOf(object: { readonly id: string }): Promise<AccountMode[]>
  /** Renames an account. Events published from now on contain the new name. Throws `ACCOUNT_UNKNOWN`. */
  rename(account: Account): Promise<void>
  /**
   * Deletes the account with all its data; the id can never be used again. Does not wait for open transactions that
   * have published events of the account: if such a transaction commits later, retention removes its events.
   * Retention, which workers run every hour, also finishes a deletion that was interrupted. Throws `ACCOUNT_UNKNOWN`.
   */
  delete(account: Pick<Account, 'id'>): Promise<void>
}

export function createAccounts<Tx>(store: AccountStore<Tx>, { entry }: Pick<Recorder, 'entry'>): Accounts<Tx> {
  const toNew = ({ id, name }: Account): NewAccount => {
    return { id, name, entry: entry({ action: 'account.created', accountId: id }) }
  }
  return {
    async ensure(accounts, options) {
      const tx = callersTransaction(options)
      for (const account of accounts) check(account)
      const each = new Map(accounts.map((account) => [account.id, toNew(account)]))
      if (each.size === 0) return { created: [] }
      const { created, deleted } = await store.createAccounts([...each.values()], tx)
      if (deleted.length > 0) throw deletedAccount()
      return { created }
    },
    async create(account) {
      check(account)
      if ((await store.createAccounts([toNew(account)])).created.length === 0)
        throw new CallboardError(
          'ACCOUNT_EXISTS',
          'This id belongs to an existing or deleted account. Use another one.',
        )
    },
    async find({ id }) {
      assertAccountId('id', id)
      return store.find(id)
    },
    async list({ after, limit = 100 } = {}) {
      if (after !== undefined) assertAccountId('after', after)
      assertWhole({ limit }, 1, 1_000)
      return store.list({ after: after ?? '', limit })
    },
    ownersOf: ({ id }) => store.ownersOf(id),
    async rename(account) {
      check(account)
      if (!(await store.rename(account, entry({ action: 'account.renamed', accountId: account.id }))))
        throw unknownAccount()
    },
    async delete({ id }) {
      assertAccountId('id', id)
      if (!(await store.delete(id, entry({ action: 'account.deleted', accountId: id })))) throw unknownAccount()
    },
  }
}

/**
 * Checks that a string is a valid account id, because an invalid id must not reach the database.
 *
 * @throws CallboardError `VALIDATION_FAILED` with one issue that names the field.
 */
export function assertAccountId(path: string, accountId: string): void {
  assertText(path, accountId, ID_TEXT)
}

export function unknownAccount(): CallboardError {
  return new CallboardError(
    'ACCOUNT_UNKNOWN',
    'No account has this id. Create it with accounts.create first, or publish with accountName.',
  )
}

export function deletedAccount(): CallboardError {
  return new CallboardError('ACCOUNT_DELETED', 'The account with this id was deleted. Its id can never be used again.')
}

/** The problem with an account's name; undefined when it is valid. */
export function accountNameIssue(path: string, name: unknown): Issue | undefined {
  return textIssue(path, name, NAME_TEXT)
}

function check({ id, name }: Account): void {
  assertAccountId('id', id)
  assertText('name', name, NAME_TEXT)
}
