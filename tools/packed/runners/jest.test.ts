import { testCallboard } from '@callboard/testing'
import { expect, test } from '@jest/globals'
import { catalog, markPaid } from './orders.ts'

test('tells the seller that an order was paid', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1' })
  await markPaid(app.callboard, 'ord_1')
  const { event } = await app.delivery({ type: 'order.paid' })
  expect(event.data.order.id).toBe('ord_1')
})
