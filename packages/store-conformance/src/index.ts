export { describeRaces } from './lib/describe-races.ts'
export { describeStore } from './lib/describe-store.ts'
export { describeTransactions } from './lib/describe-transactions.ts'
export type { RaceFixture, StoreFixture, StoreTransaction, TransactionFixture } from './lib/fixtures.ts'
export { ENTRY } from './lib/inputs.ts'
export { type LeaseDueOptions, leaseDue, type SequenceAndLeaseOptions, sequenceAndLease } from './lib/lanes.ts'
export { describeRunner, type RunnerOptions } from './lib/runner/describe-runner.ts'
export type { RunnerFixture } from './lib/runner/world.ts'
export {
  create as createSubscription,
  disable as disableSubscription,
  enable as enableSubscription,
  remove as removeSubscription,
  revise as reviseSubscription,
  rotateSecret,
  setOrdering,
  skipToNow,
} from './lib/subscription-acts.ts'
