import { defineEventType } from '@callboard/core'
import * as z from 'zod'
import { happening, money, person, text, timestamp } from './fields.ts'

/** The fields that all order events share. */
const sale = {
  event: happening,
  totals: z.strictObject({ gross: money, fees: money, net: money, tax: money }),
  buyer: person,
  lines: z
    .array(z.strictObject({ ticket_type_id: text, name: text, quantity: z.int().min(1), unit_price: money }))
    .min(1),
}

const sample = {
  id: 'ord_4t8k2m9q',
  created_at: '2026-10-01T18:03:11.204Z',
  event: { id: 'eve_7h3n5p1s', name: 'Jazz Night at the Old Brewery' },
  totals: {
    gross: { amount: 9700, currency: 'EUR' },
    fees: { amount: 485, currency: 'EUR' },
    net: { amount: 9215, currency: 'EUR' },
    tax: { amount: 635, currency: 'EUR' },
  },
  buyer: { entity_id: 'per_2c6v8x0z', name: 'Ada Lindqvist', email: 'ada.lindqvist@example.com' },
  lines: [
    {
      ticket_type_id: 'tic_standard',
      name: 'Standard',
      quantity: 2,
      unit_price: { amount: 3600, currency: 'EUR' },
    },
    { ticket_type_id: 'tic_student', name: 'Student', quantity: 1, unit_price: { amount: 2500, currency: 'EUR' } },
  ],
}

/** The attendees whose tickets were refunded or cancelled. */
const attendees = z.array(z.strictObject({ id: text, ticket_type_id: text, ...person.shape }))

const sampleAttendees = [
  {
    id: 'att_9d1f3g5h',
    ticket_type_id: 'tic_standard',
    entity_id: 'per_2c6v8x0z',
    name: 'Ada Lindqvist',
    email: 'ada.lindqvist@example.com',
  },
  {
    id: 'att_0k2l4m6n',
    ticket_type_id: 'tic_standard',
    entity_id: 'per_5b7n9m1q',
    name: 'Bo Nakamura',
    email: 'bo.nakamura@example.com',
  },
]

const buyerPaths = ['order.buyer.name', 'order.buyer.email']
const attendeePaths = ['order.attendees.name', 'order.attendees.email']

export const orderPaid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  schema: z.strictObject({
    order: z.strictObject({
      id: text,
      status: z.literal('paid'),
      created_at: timestamp,
      paid_at: timestamp,
      ...sale,
    }),
  }),
  sample: { order: { ...sample, status: 'paid', paid_at: '2026-10-01T18:03:12.871Z' } },
  personalDataPaths: buyerPaths,
  personPath: 'order.buyer.entity_id',
})

export const orderRefunded = defineEventType({
  name: 'order.refunded',
  family: 'orders',
  schema: z.strictObject({
    order: z.strictObject({
      id: text,
      status: z.literal(['refunded', 'partially_refunded']),
      created_at: timestamp,
      refunded_at: timestamp,
      refund: money,
      ...sale,
      attendees,
    }),
  }),
  sample: {
    order: {
      ...sample,
      status: 'partially_refunded',
      refunded_at: '2026-10-03T09:41:00.020Z',
      refund: { amount: 7200, currency: 'EUR' },
      attendees: sampleAttendees,
    },
  },
  personalDataPaths: [...buyerPaths, ...attendeePaths],
  personPath: 'order.buyer.entity_id',
})

export const orderCancelled = defineEventType({
  name: 'order.cancelled',
  family: 'orders',
  schema: z.strictObject({
    order: z.strictObject({
      id: text,
      status: z.literal('cancelled'),
      created_at: timestamp,
      cancelled_at: timestamp,
      reason: z.enum(['buyer_request', 'event_cancelled', 'payment_failed']),
      ...sale,
      attendees,
    }),
  }),
  sample: {
    order: {
      ...sample,
      status: 'cancelled',
      cancelled_at: '2026-10-02T07:15:30.500Z',
      reason: 'event_cancelled',
      attendees: sampleAttendees,
    },
  },
  personalDataPaths: [...buyerPaths, ...attendeePaths],
  personPath: 'order.buyer.entity_id',
})
