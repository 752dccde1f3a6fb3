export { describeRaces } from './lib/describe-races.ts'
export { describeStore } from './lib/describe-store.ts'
export { describeTransactions } from './lib/describe-transactions.ts'
export type { RaceFixture, StoreFixture, StoreTransaction, TransactionFixture } from './lib/fixtures.ts'
