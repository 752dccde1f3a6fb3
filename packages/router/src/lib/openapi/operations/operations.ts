import { backfillOperations } from './backfill-operations.ts'
import { deliveryOperations } from './delivery-operations.ts'
import { eventOperations } from './event-operations.ts'
import { keyOperations } from './key-operations.ts'
import type { Section } from './section.ts'
import { sourceAddressOperations } from './source-address-operations.ts'
import { subscriptionOperations } from './subscription-operations.ts'

/** Describes every operation of the route table. */
export const describeOperations: Section = (context) => ({
  ...keyOperations(context),
  ...eventOperations(context),
  ...subscriptionOperations(context),
  ...deliveryOperations(context),
  ...sourceAddressOperations(context),
  ...backfillOperations(context),
})
