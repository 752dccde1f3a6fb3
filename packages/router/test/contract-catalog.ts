import { type Catalog, defineCatalog, defineEventType } from '@callboard/core'
import * as z from 'zod'

const money = z.object({ amount: z.int().describe('In minor units of the currency.'), currency: z.string() })
const person = { name: z.string().optional(), email: z.email().optional() }

const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: z
    .object({
      order: z.object({
        id: z.string(),
        status: z.string(),
        created_at: z.iso.datetime(),
        paid_at: z.iso.datetime(),
        event: z.object({ id: z.string(), name: z.string() }).describe('The event that the tickets are for.'),
        totals: z.object({ gross: money, fees: money, net: money, tax: money }),
        buyer: z.object({ entity_id: z.string(), ...person }),
        lines: z.array(
          z.object({ ticket_type_id: z.string(), name: z.string(), quantity: z.int(), unit_price: money }),
        ),
      }),
    })
    .describe('An order was paid.'),
  sample: {
    order: {
      id: 'ord_4t8k2m9q',
      status: 'paid',
      created_at: '2026-10-01T18:03:11.204Z',
      paid_at: '2026-10-01T18:03:12.871Z',
      event: { id: 'eve_7h3n5p1s', name: 'Jazz Night at the Old Brewery' },
      totals: {
        gross: { amount: 7200, currency: 'EUR' },
        fees: { amount: 360, currency: 'EUR' },
        net: { amount: 6840, currency: 'EUR' },
        tax: { amount: 471, currency: 'EUR' },
      },
      buyer: { entity_id: 'per_2c6v8x0z', name: 'Ada Lindqvist', email: 'ada.lindqvist@example.com' },
      lines: [
        {
          ticket_type_id: 'tic_standard',
          name: 'Standard',
          quantity: 2,
          unit_price: { amount: 3600, currency: 'EUR' },
        },
      ],
    },
  },
  personalDataPaths: ['order.buyer.name', 'order.buyer.email'],
  personPath: 'order.buyer.entity_id',
})

const attendeeCheckedIn = defineEventType({
  name: 'attendee.checked_in',
  family: 'attendees',
  descriptionKey: 'events.attendee_checked_in',
  schema: z
    .object({
      attendee: z.object({
        id: z.string(),
        order_id: z.string(),
        checked_in_at: z.iso.datetime(),
        entity_id: z.string(),
        ...person,
      }),
    })
    .describe('An attendee was checked in.'),
  sample: {
    attendee: {
      id: 'att_9d1f3g5h',
      order_id: 'ord_4t8k2m9q',
      checked_in_at: '2026-10-17T19:02:08.660Z',
      entity_id: 'per_2c6v8x0z',
      name: 'Ada Lindqvist',
      email: 'ada.lindqvist@example.com',
    },
  },
  personalDataPaths: ['attendee.name', 'attendee.email'],
  personPath: 'attendee.entity_id',
})

/** The two event types of the contract. `openapi.json` describes a platform that has exactly these two. */
export const contractCatalog: Catalog = defineCatalog({
  version: '2026-10-01',
  types: [orderPaid, attendeeCheckedIn],
})
