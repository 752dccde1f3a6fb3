import { defineCatalog, defineEventType, definePreviousType } from '@callboard/core'
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

const customer = z.object({ entity_id: z.string(), contact: z.string().optional() })

/** The same catalogue with a previous version, which is deprecated and in which the buyer has another shape. */
export const versionedCatalog = defineCatalog({
  version: '2026-10-01',
  types: [orderPaid, checkedIn],
  previous: [
    {
      version: '2026-04-01',
      deprecated: '2026-10-01',
      sunset: '2027-10-01',
      link: 'https://example.com/changes',
      types: [
        definePreviousType(orderPaid, {
          schema: z.object({ order: z.object({ id: z.string(), note: z.string().optional(), customer }) }),
          sample: { order: { id: 'ord_1', customer: { entity_id: 'per_1', contact: 'sam@sample.example' } } },
          personalDataPaths: ['order.customer.contact'],
          down: ({ order: { buyer, ...order } }) => {
            const { entity_id, email } = buyer
            return { order: { ...order, customer: { entity_id, ...(email !== undefined && { contact: email }) } } }
          },
        }),
      ],
    },
  ],
})
