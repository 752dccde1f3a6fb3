import { defineCatalog, defineEventType } from '@callboard/core'
import * as z from 'zod'

const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: z.object({
    order: z.object({
      id: z.string(),
      note: z.string().optional(),
      buyer: z.object({ entity_id: z.string(), name: z.string().optional(), email: z.string().optional() }),
    }),
  }),
  sample: { order: { id: 'ord_1', buyer: { entity_id: 'per_1', name: 'Sam Sample', email: 'sam@sample.example' } } },
  personalDataPaths: ['order.buyer.name', 'order.buyer.email'],
  personPath: 'order.buyer.entity_id',
})

const checkedIn = defineEventType({
  name: 'attendee.checked_in',
  family: 'attendees',
  descriptionKey: 'events.attendee_checked_in',
  schema: z.object({ attendee: z.object({ id: z.string() }) }),
  sample: { attendee: { id: 'att_1' } },
})

/** A catalogue of two event types: one with personal data, and one without. */
export const catalog = defineCatalog({ version: '2026-10-01', types: [orderPaid, checkedIn] })
