// A server whose code is CommonJS loads the packages with `require`, which Node ≥ 22.12 can do.
import assert from 'node:assert/strict'
import { createCallboard, defineCatalog } from '@callboard/core'
import { createDashboard } from '@callboard/dashboard'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'

const callboard = createCallboard({
  catalog: defineCatalog({ version: '2026-10-01', types: [] }),
  store: createMemoryStore(),
  secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
})
const router = createRouter(callboard)
const dashboard = createDashboard(callboard, { authorize: () => ({ accountId: 'acc_1', can: ['webhooks.read'] }) })

async function check(): Promise<void> {
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  assert.equal((await router.fetch(new Request('https://platform.example/v1/me'))).status, 401)
  assert.equal((await dashboard.fetch(new Request('https://platform.example/dashboard/subscriptions'))).status, 200)
}
check().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
