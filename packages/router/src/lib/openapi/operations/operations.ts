import { backfillOperations } from './backfill-operations.ts'
import { deliveryOperations } from './delivery-operations.ts'
import { eventOperations } from './event-operations.ts'
import { keyOperations } from './key-operations.ts'
import type { Operation, Section, SectionContext, Tag } from './section.ts'
import { sourceAddressOperations } from './source-address-operations.ts'
import { subscriptionOperations } from './subscription-operations.ts'

/** Describes every operation of the route table. */
export function describeOperations(context: SectionContext): Readonly<Record<string, Operation>> {
  const tagged = (tag: Tag, ...sections: readonly Section[]) =>
    sections.flatMap((section) =>
      Object.entries(section(context)).map(([name, each]): [string, Operation] => [name, { ...each, tag }]),
    )
  return Object.fromEntries([
    ...tagged('Key', keyOperations),
    ...tagged('Events', eventOperations),
    ...tagged('Webhook subscriptions', subscriptionOperations),
    ...tagged('Deliveries', deliveryOperations, sourceAddressOperations, backfillOperations),
  ])
}
