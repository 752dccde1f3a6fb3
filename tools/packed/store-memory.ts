// A platform's tests control the clock, and can move it by a month in one line.
import assert from 'node:assert/strict'
import { createCallboard } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createMemoryRateLimiter, createMemoryStore } from '@callboard/store-memory'
import { catalog, paid, secretKeys } from './catalog.ts'

let time = Date.now()
const now = () => time
const callboard = createCallboard({
  catalog,
  store: createMemoryStore({ now }),
  rateLimiter: createMemoryRateLimiter({ now }),
  secretKeys,
  now,
})
await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
const { token } = await callboard.keys.issue({
  accountId: 'acc_1',
  name: 'tests',
  scopes: ['webhooks.read'],
  limits: [
    { seconds: 1, limit: 1 },
    { seconds: 10, limit: 5 },
    { seconds: 60, limit: 10 },
  ],
})

const router = createRouter(callboard)
const me = new Request('https://platform.example/v1/me', { headers: { authorization: `Bearer ${token}` } })
const ask = async () => (await router.fetch(me)).status
assert.deepEqual([await ask(), await ask()], [200, 429])
time += 1_000
assert.equal(await ask(), 200)

await callboard.publish(paid('ord_1'))
assert.equal((await callboard.events.page({ accountId: 'acc_1' })).data.length, 1)
time += 31 * 24 * 3_600_000
assert.equal((await callboard.events.page({ accountId: 'acc_1' })).data.length, 0)
