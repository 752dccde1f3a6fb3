/** The platform's customer (contract, 2.1). */
export interface Account {
  readonly id: string
  readonly name: string
}

export interface AccountStore {
  /** Adds an account. Of two racing calls with the same id exactly one answers true; the other changes nothing. */
  create(account: Account): Promise<boolean>

  find(accountId: string): Promise<Account | undefined>

  /** Events published from now on carry the new name; stored ones keep theirs. False when there is no such account. */
  rename(account: Account): Promise<boolean>

  /**
   * Deletes the account and all that is its own, in both modes. Its keys stop working and its deliveries stop
   * before anything else is removed. It can be called again: after a call that was cut off, and for what a transaction that
   * was open during it has committed since. The id is spent: `create` answers false for it. False when there never was one.
   */
  delete(accountId: string): Promise<boolean>
}
