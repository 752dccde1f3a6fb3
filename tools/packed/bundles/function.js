// A function that is deployed as one bundle: it migrates, publishes, and serves the API and the dashboard.
import assert from 'node:assert/strict'
import process from 'node:process'
import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { createDashboard } from '@callboard/dashboard'
import { runUntilIdle } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { createPostgresStore, migrate } from '@callboard/store-postgres'
import pg from 'pg'
import * as z from 'zod'

const paid = defineEventType({
  name: 'order.paid',
  schema: z.object({ order: z.object({ id: z.string() }) }),
  sample: { order: { id: 'ord_1' } },
})

export async function handler() {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  const client = await pool.connect()
  await migrate(client)
  client.release()

  const callboard = createCallboard({
    catalog: defineCatalog({ version: '2026-10-01', types: [paid] }),
    store: createPostgresStore({ pool }),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  })
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'tests', scopes: ['webhooks.read'] })
  const order = { id: 'ord_1' }
  await callboard.publish({
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id: 'ord_1' },
    data: { order },
  })
  await runUntilIdle(callboard, { deadlineMs: 60_000 })

  const router = createRouter(callboard)
  const events = await router.fetch(
    new Request('https://platform.example/v1/events', { headers: { authorization: `Bearer ${token}` } }),
  )
  const { data } = await events.json()
  assert.deepEqual(data[0].data, { order })
  assert.equal((await router.fetch(new Request('https://platform.example/openapi.json'))).status, 200)
  const dashboard = createDashboard(callboard, { authorize: () => ({ accountId: 'acc_1', can: ['webhooks.read'] }) })
  assert.equal((await dashboard.fetch(new Request('https://platform.example/dashboard/subscriptions'))).status, 200)
  await pool.end()
}
