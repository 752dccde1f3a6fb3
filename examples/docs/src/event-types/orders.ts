import { defineCatalog, defineEventType, type EventData, type EventTypeName } from '@callboard/core'
import * as z from 'zod'

// #region order
export const orderPaid = defineEventType({
  name: 'order.paid',
  description: 'An order was paid in full.',
  schema: z.object({
    order: z.object({
      id: z.string(),
      total: z.object({ amount: z.int(), currency: z.string().length(3) }), // minor units: 1250 is 12.50
      buyer: z.object({ entity_id: z.string(), name: z.string(), email: z.email() }),
      lines: z.array(z.object({ ticket: z.string(), attendee: z.object({ email: z.email() }).optional() })),
    }),
  }),
  sample: {
    order: {
      id: 'ord_1',
      total: { amount: 1250, currency: 'EUR' },
      buyer: { entity_id: 'per_1', name: 'Ada Lovelace', email: 'ada@example.com' },
      lines: [{ ticket: 'Stalls', attendee: { email: 'grace@example.com' } }],
    },
  },
  personalDataPaths: ['order.buyer.name', 'order.buyer.email', 'order.lines.attendee.email'],
  personPath: 'order.buyer.entity_id',
})
// #endregion

// #region catalog
export const catalog = defineCatalog({ version: '2026-10-01', types: [orderPaid] })

// For your own code: the names of all event types, and the `data` of one.
export type Name = EventTypeName<typeof catalog> // 'order.paid'
export type OrderPaid = EventData<typeof catalog, 'order.paid'>
// #endregion
