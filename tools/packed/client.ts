// A customer's program calls the API: it reads pages of typed events, subscribes, and gets an error with a code.
import assert from 'node:assert/strict'
import { CallboardApiError, createClient } from '@callboard/client'
import { createCallboard } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import { catalog, paid, secretKeys } from './catalog.ts'

const callboard = createCallboard({ catalog, store: createMemoryStore(), secretKeys })
const router = createRouter(callboard)
await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
const { token } = await callboard.keys.issue({
  accountId: 'acc_1',
  name: 'tests',
  scopes: ['webhooks.read', 'webhooks.write'],
})
await callboard.publishMany(['ord_1', 'ord_2', 'ord_3'].map(paid))

interface Shop {
  'order.paid': { order: { id: string; email?: string } }
}
const client = createClient<Shop>({
  baseUrl: 'https://platform.example',
  apiKey: token,
  fetch: (url, init) => router.fetch(new Request(url, init)), // in place of a network
})

const orders: string[] = []
for await (const event of client.events({ limit: 2 })) orders.push(event.data.order.id)
assert.deepEqual(orders, ['ord_3', 'ord_2', 'ord_1'])

const subscription = await client.subscriptions.create({
  targetUrl: 'https://hooks.example.com/1',
  eventTypes: ['order.paid'],
})
await client.subscriptions.remove(subscription.id)

const refusal: unknown = await client.subscriptions.remove('sub_unknown').catch((error: unknown) => error)
assert(refusal instanceof CallboardApiError)
assert.equal(refusal.code, 'NOT_FOUND')
