import { createClient } from '@callboard/client'
import { createCallboard } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import { expect, it } from 'vitest'
import { catalog, orderPaid } from '../event-types/orders.ts'
import { poll } from './poll.ts'

it('finds each event once, oldest first, including one that occurred before the last poll and was published after it', async () => {
  const store = createMemoryStore()
  const callboard = createCallboard({
    catalog,
    store,
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  })
  const router = createRouter(callboard)
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'test', scopes: ['webhooks.read'] })
  const publish = async (id: string, minutesAgo: number): Promise<string> => {
    const occurredAt = new Date(Date.now() - minutesAgo * 60_000)
    const event = {
      accountId: 'acc_1',
      type: 'order.paid',
      subject: { type: 'order', id },
      data: orderPaid.sample,
    } as const
    return (await callboard.publish({ ...event, occurredAt })).id
  }
  const send = (url: string, init: RequestInit) => router.fetch(new Request(url, init))
  const client = createClient({ baseUrl: 'https://api.example.com', apiKey: token, fetch: send })
  let cursor: string | undefined
  const found = async (): Promise<string[]> => {
    await store.deliveries.sequence(100)
    const ids: string[] = []
    cursor = await poll(client, cursor, async ({ id }) => void ids.push(id))
    return ids
  }

  await publish('ord_0', 0)
  expect(await found()).toEqual([])
  const first = [await publish('ord_1', 5), await publish('ord_2', 1)]
  expect(await found()).toEqual(first)
  const late = await publish('ord_3', 60)
  expect(await found()).toEqual([late])
  expect(await found()).toEqual([])
})
