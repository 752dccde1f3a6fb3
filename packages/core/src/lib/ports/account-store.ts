/** An account of the platform, to which all keys, events and subscriptions belong. */
export interface Account {
  readonly id: string
  readonly name: string
}

export interface AccountStore {
  /**
   * Creates an account. False, and nothing changes, when the id is in use or was deleted. Exactly one of several racing
   * calls with the same new id returns true.
   */
  create(account: Account): Promise<boolean>

  find(accountId: string): Promise<Account | undefined>

  /**
   * Renames an account for events published from now on; stored events keep the old name. False when it does not exist.
   */
  rename(account: Account): Promise<boolean>

  /**
   * Deletes an account with all its data in both modes. Its keys and deliveries stop before anything else is removed.
   * The id can never be used again. False when no such account ever existed.
   *
   * Safe to repeat: a second call continues an interrupted one, and removes what a transaction open during the first
   * has committed since.
   */
  delete(accountId: string): Promise<boolean>
}
