import { FAILING_RULE } from '@callboard/core/store'
import { createSubscription, leaseDue } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventDraft, newSubscription, settled } from '../../testing/inputs.ts'
import { migratedPool } from '../../testing/migrated-store.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore
beforeAll(async () => {
  server = await startPostgres()
  ;({ pool, store } = await migratedPool(server))
})
afterAll(() => server.stop())
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** A lane that worker `w` has leased, of a store that traces it, and the acts that were traced since. */
async function leased() {
  const subscription = newSubscription()
  await createSubscription(store, subscription)
  await store.events.publishDrafts([eventDraft()])
  await store.deliveries.sequence(10)
  vi.stubEnv('CALLBOARD_DEBUG', `lane:${subscription.id}`)
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  const traced = createPostgresStore({ pool })
  const lanes = await leaseDue(traced, { worker: 'w' })
  const settlements = lanes.filter(({ lease }) => lease.id === subscription.id).map(settled)
  expect(settlements).toHaveLength(1)
  const acts = () => lines.slice(1).map((line) => line.trimEnd().split(' ').slice(2).join(' '))
  return { traced, settlements, acts }
}

describe('the trace of a lane', () => {
  it('says that a worker has lost its lease', async () => {
    const { traced, settlements, acts } = await leased()
    await store.deliveries.releaseLeases({ of: 'worker', worker: 'w' })
    await traced.deliveries.checkLeases(settlements.map(({ lease }) => lease))
    await traced.deliveries.settle(settlements, FAILING_RULE)
    await traced.deliveries.releaseLeases({ of: 'worker', worker: 'w' })
    expect(acts()).toEqual([
      'may not send: lease lost, disabled or skipped',
      'lost the lease of epoch 1: nothing was recorded',
    ])
  })

  it('says that its deliveries were postponed, or that its lease goes on after a part of them', async () => {
    const { traced, settlements, acts } = await leased()
    const settle = (how: object) =>
      traced.deliveries.settle(
        settlements.map((each) => ({ ...each, ...how })),
        FAILING_RULE,
      )
    await settle({ keep: true })
    await settle({ postponeMs: 1_000 })
    const counts = 'settled epoch 1: settledThrough'
    expect(acts()).toEqual([
      expect.stringMatching(new RegExp(`^${counts} \\d+, retries 0, ended 0, still leased$`)),
      expect.stringMatching(new RegExp(`^${counts} \\d+, retries 0, ended 0, postponed for 1000 ms$`)),
    ])
  })

  it('says that the worker has released it, and nothing about leases of another worker', async () => {
    const { traced, acts } = await leased()
    await traced.deliveries.releaseLeases({ of: 'worker', worker: 'another' })
    expect(acts()).toEqual([])
    await traced.deliveries.releaseLeases({ of: 'worker', worker: 'w' })
    await traced.deliveries.releaseLeases({ of: 'worker', worker: 'w' })
    expect(acts()).toEqual(['released by w, with all its leases'])
  })
})
