import { type Callboard, defineCatalog, defineEventType } from '@callboard/core'
import * as z from 'zod'

const orderPaid = defineEventType({
  name: 'order.paid',
  schema: z.object({ order: z.object({ id: z.string(), buyer: z.object({ email: z.email() }) }) }),
  sample: { order: { id: 'ord_1', buyer: { email: 'ada@example.com' } } },
  personalDataPaths: ['order.buyer.email'],
})
export const catalog = defineCatalog({ version: '2026-10-01', types: [orderPaid] })

// #region code
/** Your own code. It is given the Callboard, so that a test can give it another one. */
export async function markPaid(callboard: Callboard<typeof catalog>, id: string): Promise<void> {
  // … what your platform does with a paid order
  await callboard.publish({
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id },
    data: { order: { id, buyer: { email: 'ada@example.com' } } },
  })
}
// #endregion
