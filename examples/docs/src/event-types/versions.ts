import { type Callboard, defineCatalog, defineEventType, definePreviousType } from '@callboard/core'
import * as z from 'zod'
import { orderPaid as orderPaidIn2026 } from './orders.ts'

// #region newer
export const orderPaid = defineEventType({
  name: 'order.paid',
  schema: z.object({
    order: z.object({
      id: z.string(),
      total: z.object({ amount: z.int(), currency: z.string().length(3) }),
      customer: z.object({ id: z.string(), first_name: z.string(), last_name: z.string(), email: z.email() }),
      tickets: z.array(z.object({ name: z.string(), attendee: z.object({ email: z.email() }).optional() })),
    }),
  }),
  sample: {
    order: {
      id: 'ord_1',
      total: { amount: 1250, currency: 'EUR' },
      customer: { id: 'per_1', first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
      tickets: [{ name: 'Stalls', attendee: { email: 'grace@example.com' } }],
    },
  },
  personalDataPaths: [
    'order.customer.first_name',
    'order.customer.last_name',
    'order.customer.email',
    'order.tickets.attendee.email',
  ],
  personPath: 'order.customer.id',
})
// #endregion

// #region previous
const { schema, sample, personalDataPaths } = orderPaidIn2026

export const orderPaidBefore = definePreviousType(orderPaid, {
  schema,
  sample,
  personalDataPaths,
  down: ({ order: { id, total, customer, tickets } }) => ({
    order: {
      id,
      total,
      buyer: { entity_id: customer.id, ...nameOf(customer), ...emailOf(customer) },
      lines: tickets.map(({ name, attendee }) => ({ ticket: name, ...(attendee && { attendee }) })),
    },
  }),
})

/** A reader without `people.read` gets a customer without these fields. */
function nameOf({ first_name, last_name }: { first_name?: string; last_name?: string }): { name?: string } {
  return first_name === undefined || last_name === undefined ? {} : { name: `${first_name} ${last_name}` }
}

function emailOf({ email }: { email?: string }): { email?: string } {
  return email === undefined ? {} : { email }
}
// #endregion

// #region catalog
export const catalog = defineCatalog({
  version: '2027-03-01',
  types: [orderPaid],
  previous: [{ version: '2026-10-01', deprecated: '2027-03-01', sunset: '2028-03-01', types: [orderPaidBefore] }],
})
// #endregion

// #region move
/** Moves one subscription to the new version, and then all other subscriptions and keys of the old version. */
export async function move(callboard: Callboard, accountId: string, id: string): Promise<void> {
  await callboard.subscriptions.setApiVersion({ accountId, mode: 'live', id, apiVersion: '2027-03-01', by: 'platform' })
  await callboard.versions.move({ from: '2026-10-01', to: '2027-03-01' })
}
// #endregion
