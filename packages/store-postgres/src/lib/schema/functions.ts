import { admitRequestsFunction } from '../admission/admit.ts'
import { takeRequestsFunction } from '../admission/take-requests.ts'
import { currentKeyFunction } from '../keys/current-key.ts'
import { revokeKeyFunction } from '../keys/revoke-key.ts'
import { rotateKeyFunction } from '../keys/rotate-key.ts'
import { countRangeFunction } from '../lanes/count-range.ts'
import { endPendingFunction } from '../lanes/end-pending.ts'
import { resendFunction } from '../lanes/resend.ts'
import { resendRangeFunction } from '../lanes/resend-range.ts'
import { settleLanesFunction } from '../lanes/settle-lanes.ts'
import { startBackfillFunction } from '../lanes/start-backfill.ts'
import { retainEventsFunction } from '../maintenance/retain-events.ts'
import { publishEventFunction } from '../publishing/publish-event.ts'
import { publishEventsFunction } from '../publishing/publish-events.ts'
import { sequenceAndLeaseFunction } from '../sequencing/sequence-and-lease.ts'
import { sequenceOutboxFunction } from '../sequencing/sequence-outbox.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { changeSubscriptionFunction } from '../subscriptions/change-subscription.ts'
import { createSubscriptionFunction } from '../subscriptions/create-subscription.ts'
import { disableSubscriptionFunction } from '../subscriptions/disable-subscription.ts'
import { enableSubscriptionFunction } from '../subscriptions/enable-subscription.ts'
import { importSubscriptionsFunction } from '../subscriptions/import-subscriptions.ts'
import { inTransactionFunction } from '../transactions/in-transaction.ts'
import { awaitLockFunction } from '../workers/await-lock.ts'

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
  countRangeFunction,
  retainEventsFunction,
  currentKeyFunction,
  endPendingFunction,
  disableSubscriptionFunction,
  enableSubscriptionFunction,
  startBackfillFunction,
  changeSubscriptionFunction,
  createSubscriptionFunction,
  importSubscriptionsFunction,
  awaitLockFunction,
]
