// The catalogue and the secret keys of the platform in these programs.
import { defineCatalog, defineEventType, type SecretKeys } from '@callboard/core'
import * as z from 'zod'

const orderPaid = defineEventType({
  name: 'order.paid',
  schema: z.object({ order: z.object({ id: z.string(), email: z.email() }) }),
  sample: { order: { id: 'ord_1', email: 'ada@example.com' } },
  personalDataPaths: ['order.email'],
})

export const catalog = defineCatalog({ version: '2026-10-01', types: [orderPaid] })

export const secretKeys: SecretKeys = { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } }

/** An `order.paid` event; the compiler checks its `data`. */
export function paid(id: string) {
  return {
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id },
    data: { order: { id, email: 'ada@example.com' } },
  } as const
}
