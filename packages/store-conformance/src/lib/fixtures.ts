import type { Store } from '@callboard/core/store'

/** A store of one test's own, empty. @typeParam Tx what the caller's own transaction is to the store. */
export interface StoreFixture<Tx> {
  readonly store: Store<Tx>
  /** Moves the store's clock forward by this many milliseconds. Between the moves it may run or stand still. */
  advance(ms: number): void | Promise<void>
  /** Called when the test has ended. */
  cleanup(): void | Promise<void>
}

/** A transaction of the platform's own, begun and not yet ended. */
export interface StoreTransaction<Tx> {
  readonly tx: Tx
  commit(): Promise<void>
  rollback(): Promise<void>
}

export interface TransactionFixture<Tx> extends StoreFixture<Tx> {
  begin(): Promise<StoreTransaction<Tx>>
}

export interface RaceFixture<Tx> extends TransactionFixture<Tx> {
  /** Another handle on the same data, with connections of its own: another node. `cleanup` closes it. */
  another(): Promise<Store<Tx>>
}
