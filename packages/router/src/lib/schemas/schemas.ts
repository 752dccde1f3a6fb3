import type * as z from 'zod'
import { backfillSchemas } from './backfill-schemas.ts'
import { deliverySchemas } from './delivery-schemas.ts'
import { eventSchemas } from './event-schemas.ts'
import { keySchemas } from './key-schemas.ts'
import { problemSchemas } from './problem-schemas.ts'
import { sourceAddressSchemas } from './source-address-schemas.ts'
import { subscriptionSchemas } from './subscription-schemas.ts'

// Only the OpenAPI document and tests load these schemas; no request does.

/** The schemas of all responses, by their names in the document. */
export const schemas: Readonly<Record<string, z.ZodType>> = {
  ...keySchemas,
  ...eventSchemas,
  ...subscriptionSchemas,
  ...deliverySchemas,
  ...sourceAddressSchemas,
  ...backfillSchemas,
  ...problemSchemas,
}
