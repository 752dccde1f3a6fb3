import type { Mode } from '../accounts/mode.ts'
import type { AuditDraft } from './audit-store.ts'

/** A customer of the platform. Every key, event and subscription belongs to one account. */
export interface Account {
  readonly id: string
  readonly name: string
}

/** An account and one of its modes. */
export interface AccountMode {
  readonly accountId: string
  readonly mode: Mode
}

/** An account to create if it does not exist, and the audit entry that then records its creation. */
export interface NewAccount extends Account {
  readonly entry: AuditDraft
}

/** The result of {@link AccountStore.createAccounts}. */
export interface CreatedAccounts {
  /** The ids of the accounts that the call created. */
  readonly created: readonly string[]
  /** The ids that belonged to deleted accounts. If there is one, nothing is stored. */
  readonly deleted: readonly string[]
}

/** @typeParam Tx the type of the caller's own transaction for this store. */
export interface AccountStore<Tx> {
  /**
   * Creates those of the accounts that do not exist, in the order of the bytes of their ids, each together with its
   * audit entry. Leaves existing accounts unchanged. No two of the accounts have the same id. Uses `tx`, the caller's
   * own transaction, if it is given.
   *
   * When two transactions create the same account, the second waits until the first ends, and then leaves the account
   * as it is, so exactly one call creates it. Throws `TRANSACTION_CONFLICT` for a deadlock or serialisation failure in
   * the caller's transaction.
   */
  createAccounts(accounts: readonly NewAccount[], tx?: Tx | undefined): Promise<CreatedAccounts>

  find(accountId: string): Promise<Account | undefined>

  /**
   * Lists at most `limit` accounts, sorted by the bytes of their ids. The list starts after the id `after`, or with the
   * first account if `after` is empty.
   */
  list(request: { readonly after: string; readonly limit: number }): Promise<Account[]>

  /**
   * Finds the account and mode of a key, a subscription (even a removed one) or an event by its id. Several accounts
   * and modes may have an event with the same id, because publishers may choose it; they are sorted by account and
   * mode. Searches one account after another for an event, which is fast enough for an operator, but not for a request.
   */
  ownersOf(id: string): Promise<AccountMode[]>

  /**
   * Renames an account. Events published from now on contain the new name; stored events keep the old name. Returns
   * false when the account does not exist. Records `entry` if the name changes.
   */
  rename(account: Account, entry: AuditDraft): Promise<boolean>

  /**
   * Deletes an account with all its data in both modes. Its keys stop working and its deliveries stop before anything
   * else is removed. The id can never be used again. Returns false when no account ever had this id.
   *
   * Once the call resolves, nothing of the account is left, and calls that were already running add nothing. The
   * exception is events in transactions that are still open: `delete` does not wait for them, because they may stay
   * open for hours. `MaintenanceStore.retain` removes such events, and whatever an interrupted `delete` has left.
   * Repeating `delete` is safe.
   *
   * Records `entry` in the same step as the account's id is marked as used, before anything is removed. A repeated call
   * records nothing.
   */
  delete(accountId: string, entry: AuditDraft): Promise<boolean>
}
