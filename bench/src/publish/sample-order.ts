import { defineCatalog, defineEventType } from '@callboard/core'
import * as z from 'zod'

const schema = z.object({
  order: z.object({
    id: z.string(),
    status: z.enum(['paid', 'refunded']),
    total: z.object({ amount: z.int(), currency: z.string() }),
    buyer: z.object({ entity_id: z.string(), name: z.string(), email: z.email() }),
    lines: z.array(z.object({ id: z.string(), name: z.string(), quantity: z.int(), price: z.int() })),
    note: z.string(),
  }),
})

/** An order with two personal values, in an envelope of 1 KB. */
const data = {
  order: {
    id: 'ord_01j9z3v5k7m2n4p6q8r0s1t3u5',
    status: 'paid' as const,
    total: { amount: 12_900, currency: 'EUR' },
    buyer: { entity_id: 'per_01j9z3v5k7m2n4p6q8', name: 'Ada Lovelace', email: 'ada.lovelace@example.com' },
    lines: [1, 2, 3].map((n) => ({ id: `lin_${n}`, name: `Seat in row ${n}, stalls`, quantity: n, price: 4_300 })),
    note: 'Doors open at seven; the seats are kept until eight. '.repeat(7),
  },
}

export const catalog = defineCatalog({
  version: '2026-10-01',
  types: [
    defineEventType({
      name: 'order.paid',
      family: 'orders',
      descriptionKey: 'events.order_paid',
      schema,
      sample: data,
      personalDataPaths: ['order.buyer.name', 'order.buyer.email'],
      personPath: 'order.buyer.entity_id',
    }),
  ],
})

/** An event about one of 10,000 orders of the account. */
export function orderPaid(accountId: string, n: number) {
  return {
    accountId,
    type: 'order.paid' as const,
    subject: { type: 'order', id: `ord_${n % 10_000}` },
    data,
  }
}
