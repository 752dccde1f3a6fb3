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
   * before anything else is removed; a call that was cut off can be made again and goes on. False when there was none.
   */
  delete(accountId: string): Promise<boolean>
}
