import { checkCatalog, testCallboard } from '@callboard/testing'
import { expect, it } from 'vitest'
import { catalog, orderPaid } from '../event-types/versions.ts'

// #region versions
it('keeps sending the old shape to those who have not moved', async () => {
  const app = testCallboard(catalog)
  await app.subscribe({ accountId: 'acc_1', apiVersion: '2026-10-01' })
  const subject = { type: 'order', id: 'ord_1' }
  await app.callboard.publish({ accountId: 'acc_1', type: 'order.paid', subject, data: orderPaid.sample })
  const { event } = await app.delivery({ type: 'order.paid', version: '2026-10-01' })
  expect(event.data.order.buyer.entity_id).toBe('per_1') // typed as in that version
})

it('can convert every event to every previous version', () => checkCatalog(catalog))
// #endregion
