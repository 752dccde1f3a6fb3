import type { Store } from '@callboard/core/store'

/** An empty store for one test. @typeParam Tx the type of a caller's transaction. */
export interface StoreFixture<Tx> {
  readonly store: Store<Tx>
  /**
   * Moves the store's clock forward by this many milliseconds, or back if the number is negative. Between calls of
   * `advance`, the clock may keep running or stand still.
   */
  advance(ms: number): void | Promise<void>
  /** Called after the test. */
  cleanup(): void | Promise<void>
}

/** An open transaction of the platform. */
export interface StoreTransaction<Tx> {
  readonly tx: Tx
  commit(): Promise<void>
  rollback(): Promise<void>
}

export interface TransactionFixture<Tx> extends StoreFixture<Tx> {
  begin(): Promise<StoreTransaction<Tx>>
}

export interface RaceFixture<Tx> extends TransactionFixture<Tx> {
  /**
   * Opens another store handle on the same data, with its own connections, like a second node. `cleanup` closes the
   * handle.
   */
  another(): Promise<Store<Tx>>
}
