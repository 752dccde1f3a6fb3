import { createCallboard } from '@callboard/core'
import { createMemoryStore } from '@callboard/store-memory'
import { expect, it } from 'vitest'
import { catalog, orderPaid } from './orders.ts'

it('an event has the data that docs/event-types.md shows, with and without people.read', async () => {
  const callboard = createCallboard({
    catalog,
    store: createMemoryStore(),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  })
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const subject = { type: 'order', id: 'ord_1' }
  const event = { accountId: 'acc_1', type: 'order.paid', subject, data: orderPaid.sample } as const
  const { id } = await callboard.publish(event)
  expect(await callboard.events.find({ accountId: 'acc_1', id, personalData: true })).toMatchObject({
    data: orderPaid.sample,
  })
  const withoutPeople = {
    id: 'ord_1',
    total: { amount: 1250, currency: 'EUR' },
    buyer: { entity_id: 'per_1' },
    lines: [{ ticket: 'Stalls', attendee: {} }],
  }
  expect(await callboard.events.find({ accountId: 'acc_1', id })).toHaveProperty('data.order', withoutPeople)
})
