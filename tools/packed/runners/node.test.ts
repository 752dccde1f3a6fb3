import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testCallboard } from '@callboard/testing'
import { catalog, markPaid } from './orders.ts'

test('tells the seller that an order was paid', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1' })
  await markPaid(app.callboard, 'ord_1')
  const { event } = await app.delivery({ type: 'order.paid' })
  assert.equal(event.data.order.id, 'ord_1')
})
