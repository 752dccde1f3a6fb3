export { type CheckCatalogOptions, checkCatalog } from './lib/check-catalog.ts'
export {
  type TestCallboard,
  type TestCallboardOptions,
  type TestSubscriptionInput,
  testCallboard,
} from './lib/platform/test-callboard.ts'
export type { DeliveryFilter, TestAttempt, TestDelivery, TestEvent } from './lib/platform/test-delivery.ts'
export type { TestAnswer, TestFailure, TestReceiver, TestTarget } from './lib/platform/test-targets.ts'
