export type { RaceFixture, StoreFixture, StoreTransaction, TransactionFixture } from './lib/arranging/fixtures.ts'
export { ENTRY, newImport } from './lib/arranging/inputs.ts'
export {
  type LeaseDueOptions,
  leaseDue,
  type SequenceAndLeaseOptions,
  sequenceAndLease,
} from './lib/arranging/lanes.ts'
export {
  create as createSubscription,
  disable as disableSubscription,
  enable as enableSubscription,
  remove as removeSubscription,
  revise as reviseSubscription,
  rotateSecret,
  setOrdering,
  skipToNow,
  startBackfill,
} from './lib/arranging/subscription-acts.ts'
export { describeRaces } from './lib/describe-races.ts'
export { describeStore } from './lib/describe-store.ts'
export { describeTransactions } from './lib/describe-transactions.ts'
export { describeRunner, type RunnerOptions } from './lib/runner/describe-runner.ts'
export type { RunnerFixture } from './lib/runner/world.ts'
