import { admitRequestsFunction } from './admit-requests.ts'
import { changeSubscriptionFunction } from './change-subscription.ts'
import { createSubscriptionFunction } from './create-subscription.ts'
import { currentKeyFunction } from './current-key.ts'
import type { DatabaseFunction } from './database-function.ts'
import { disableSubscriptionFunction } from './disable-subscription.ts'
import { enableSubscriptionFunction } from './enable-subscription.ts'
import { endPendingFunction } from './end-pending.ts'
import { inTransactionFunction } from './in-transaction.ts'
import { publishEventFunction } from './publish-event.ts'
import { publishEventsFunction } from './publish-events.ts'
import { resendFunction } from './resend.ts'
import { resendRangeFunction } from './resend-range.ts'
import { retainEventsFunction } from './retain-events.ts'
import { revokeKeyFunction } from './revoke-key.ts'
import { rotateKeyFunction } from './rotate-key.ts'
import { sequenceAndLeaseFunction } from './sequence-and-lease.ts'
import { sequenceOutboxFunction } from './sequence-outbox.ts'
import { settleLanesFunction } from './settle-lanes.ts'
import { takeRequestsFunction } from './take-requests.ts'

/** Every function that `migrate` creates. */
export const FUNCTIONS: readonly DatabaseFunction[] = [
  inTransactionFunction,
  publishEventFunction,
  publishEventsFunction,
  sequenceOutboxFunction,
  sequenceAndLeaseFunction,
  settleLanesFunction,
  takeRequestsFunction,
  admitRequestsFunction,
  rotateKeyFunction,
  revokeKeyFunction,
  resendFunction,
  resendRangeFunction,
  retainEventsFunction,
  currentKeyFunction,
  endPendingFunction,
  disableSubscriptionFunction,
  enableSubscriptionFunction,
  changeSubscriptionFunction,
  createSubscriptionFunction,
]
