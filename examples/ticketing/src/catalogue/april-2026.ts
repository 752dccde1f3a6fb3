import { definePreviousType, type PreviousVersion } from '@callboard/core'
import * as z from 'zod'
import { text } from './fields.ts'
import { orderCancelled, orderPaid, orderRefunded } from './orders.ts'

/**
 * The buyer in version 2026-04-01. Version 2026-10-01 renamed `customer` to `buyer`, and split `contact` into `name`
 * and `email`.
 */
const customer = z.strictObject({ entity_id: text, contact: z.string().max(600).optional() })

type Customer = z.output<typeof customer>

const sampleCustomer: Customer = {
  entity_id: 'per_2c6v8x0z',
  contact: 'Ada Lindqvist <ada.lindqvist@example.com>',
}

interface Buyer {
  readonly entity_id: string
  readonly name?: string | undefined
  readonly email?: string | undefined
}

/** Omits `contact` if the buyer has neither name nor email, for example because personal data was removed. */
function customerOf({ entity_id, name, email }: Buyer): Customer {
  const contact = name === undefined || email === undefined ? (name ?? email) : `${name} <${email}>`
  return contact === undefined ? { entity_id } : { entity_id, contact }
}

/** Replaces the buyer of a sample order. */
function sampleBefore<Order extends { readonly buyer: Buyer }>(
  order: Order,
): Omit<Order, 'buyer'> & { customer: Customer } {
  const { buyer: _, ...rest } = order
  return { ...rest, customer: sampleCustomer }
}

const customerPaths = ['order.customer.contact'] as const

const orderPaidBefore = definePreviousType(orderPaid, {
  schema: z.strictObject({ order: orderPaid.schema.shape.order.omit({ buyer: true }).extend({ customer }) }),
  sample: { order: sampleBefore(orderPaid.sample.order) },
  personalDataPaths: customerPaths,
  down: ({ order: { buyer, ...order } }) => ({ order: { ...order, customer: customerOf(buyer) } }),
})

const orderRefundedBefore = definePreviousType(orderRefunded, {
  schema: z.strictObject({ order: orderRefunded.schema.shape.order.omit({ buyer: true }).extend({ customer }) }),
  sample: { order: sampleBefore(orderRefunded.sample.order) },
  personalDataPaths: [...customerPaths, 'order.attendees.name', 'order.attendees.email'],
  down: ({ order: { buyer, ...order } }) => ({ order: { ...order, customer: customerOf(buyer) } }),
})

const orderCancelledBefore = definePreviousType(orderCancelled, {
  schema: z.strictObject({ order: orderCancelled.schema.shape.order.omit({ buyer: true }).extend({ customer }) }),
  sample: { order: sampleBefore(orderCancelled.sample.order) },
  personalDataPaths: [...customerPaths, 'order.attendees.name', 'order.attendees.email'],
  down: ({ order: { buyer, ...order } }) => ({ order: { ...order, customer: customerOf(buyer) } }),
})

/** The format before version 2026-10-01, which added `attendee.updated`. */
export const april2026 = {
  version: '2026-04-01',
  deprecated: '2026-10-01',
  sunset: '2027-10-01',
  types: [orderPaidBefore, orderRefundedBefore, orderCancelledBefore],
  without: ['attendee.updated'],
} as const satisfies PreviousVersion
