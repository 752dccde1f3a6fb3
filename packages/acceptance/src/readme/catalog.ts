import { defineCatalog, defineEventType } from '@callboard/core'
import * as z from 'zod'

const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: z.object({
    order: z.object({ id: z.string(), buyer: z.object({ entity_id: z.string(), email: z.email() }) }),
  }),
  sample: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } },
  personalDataPaths: ['order.buyer.email'],
})

export const catalog = defineCatalog({ version: '2026-10-01', types: [orderPaid] })
