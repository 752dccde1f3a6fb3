import { createCallboard } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import { expect, it } from 'vitest'
import * as types from '../event-types/orders.ts'
import { addApiKey, authentication, orderPaid, type Z } from './zapier.ts'

/** A `z` that prepares requests as Zapier's client does and sends them to a real router. */
async function connect(): Promise<{ z: Z; publish: () => Promise<unknown>; count: () => Promise<number> }> {
  const callboard = createCallboard({
    catalog: types.catalog,
    store: createMemoryStore(),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  })
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const scopes = ['webhooks.read', 'webhooks.write'] as const
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'Zapier', scopes })
  const router = createRouter(callboard)
  const z: Z = {
    async request({ url, method = 'GET', params = {}, body }) {
      const target = new URL(url)
      for (const [name, value] of Object.entries(params)) target.searchParams.set(name, String(value))
      const { headers } = addApiKey({ headers: { 'Content-Type': 'application/json' } }, z, {
        authData: { apiKey: token },
      })
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      const response = await router.fetch(new Request(target, init))
      if (!response.ok) throw new Error(`${response.status}`)
      return { data: response.status === 204 ? undefined : await response.json() }
    },
  }
  const event = { accountId: 'acc_1', type: 'order.paid', subject: { type: 'order', id: 'ord_1' } } as const
  return {
    z,
    publish: () => callboard.publish({ ...event, data: types.orderPaid.sample }),
    count: async () => (await callboard.subscriptions.list({ accountId: 'acc_1' })).length,
  }
}

it('the Zapier app shows which account the key belongs to', async () => {
  const { z } = await connect()
  expect((await z.request(authentication.test)).data).toMatchObject({ entity: { name: 'Harbour Hall' } })
})

it('the Zapier app creates one subscription if a workflow is turned on twice, and can unsubscribe twice', async () => {
  const { z, count } = await connect()
  const { performSubscribe, performUnsubscribe } = orderPaid.operation
  const targetUrl = 'https://hooks.zapier.com/hooks/standard/1/a/'
  const subscribeData = (await performSubscribe(z, { targetUrl })) as { id: string; secret: string }
  expect(await performSubscribe(z, { targetUrl })).toMatchObject({ id: subscribeData.id, created: false })
  expect(await count()).toBe(1)
  for (const _ of ['off', 'off again']) await performUnsubscribe(z, { subscribeData })
  expect(await count()).toBe(0)
})

it('the Zapier app lists recent events in the form in which they are delivered', async () => {
  const { z, publish } = await connect()
  await publish()
  expect(await orderPaid.operation.performList(z)).toMatchObject([{ type: 'order.paid', account: { id: 'acc_1' } }])
})
