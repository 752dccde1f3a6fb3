// A platform's own tests move hours in a line: the store's clock is theirs.
import assert from 'node:assert/strict'
import { createCallboard } from '@callboard/core'
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
  account: 'acc_1',
  name: 'tests',
  scopes: ['webhooks.read'],
  limits: [
    { seconds: 1, limit: 1 },
    { seconds: 10, limit: 5 },
    { seconds: 60, limit: 10 },
  ],
})

const ask = async () => (await callboard.admissions.admit(`Bearer ${token}`)).outcome
assert.deepEqual([await ask(), await ask()], ['admitted', 'limited'])
time += 1_000
assert.equal(await ask(), 'admitted')

await callboard.publish(paid('ord_1'))
assert.equal((await callboard.events.page({ account: 'acc_1' })).events.length, 1)
time += 31 * 24 * 3_600_000
assert.equal((await callboard.events.page({ account: 'acc_1' })).events.length, 0)
