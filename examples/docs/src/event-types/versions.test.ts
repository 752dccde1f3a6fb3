import { createCallboard } from '@callboard/core'
import { createMemoryStore } from '@callboard/store-memory'
import { expect, it } from 'vitest'
import { orderPaid as orderPaidIn2026 } from './orders.ts'
import { catalog, move, orderPaid } from './versions.ts'

it('an event is read in both versions, with and without people.read, and subscriptions can be moved to the new version', async () => {
  const callboard = createCallboard({
    catalog,
    store: createMemoryStore(),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  })
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const subject = { type: 'order', id: 'ord_1' }
  const event = { accountId: 'acc_1', type: 'order.paid', subject, data: orderPaid.sample } as const
  const { id } = await callboard.publish(event)
  const read = async (sight: { apiVersion?: string; personalData?: boolean }) =>
    callboard.events.find({ accountId: 'acc_1', id, ...sight })
  const apiVersion = '2026-10-01'
  expect(await read({ personalData: true })).toMatchObject({ version: '2027-03-01', data: orderPaid.sample })
  expect(await read({ personalData: true, apiVersion })).toMatchObject({
    version: apiVersion,
    data: orderPaidIn2026.sample,
  })
  expect(await read({ apiVersion })).toHaveProperty('data.order', {
    id: 'ord_1',
    total: { amount: 1250, currency: 'EUR' },
    buyer: { entity_id: 'per_1' },
    lines: [{ ticket: 'Stalls', attendee: {} }],
  })

  const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'], apiVersion } as const
  const owner = { accountId: 'acc_1' } as const
  const [first, second] = [
    await callboard.subscriptions.create({ ...owner, ...input }),
    await callboard.subscriptions.create({ ...owner, ...input }),
  ]
  await move(callboard, 'acc_1', first.id)
  for (const { id: moved } of [first, second])
    expect(await callboard.subscriptions.find({ ...owner, mode: 'live', id: moved })).toMatchObject({
      apiVersion: '2027-03-01',
    })
})
