import { createSubscription } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventDraft, newSubscription } from '../../testing/inputs.ts'
import { migratedPool, waiting } from '../../testing/migrated-store.ts'
import type { PostgresStore } from '../postgres-store.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 366 * 24 * HOUR_MS
const LONG = {
  attemptsMs: YEAR_MS,
  responsesMs: YEAR_MS,
  subscriptionsMs: YEAR_MS,
  auditMs: YEAR_MS,
  maxResponses: 1_000,
}

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
  ;({ pool, store } = await migratedPool(server))
})

afterAll(() => server.stop())

it('keeps the events in flight of a lane that is leased while retention waits for the lock on that lane', async () => {
  await createSubscription(store, newSubscription())
  await store.events.publishDrafts([eventDraft(), eventDraft()])
  await store.deliveries.sequence(10)
  await pool.query(`update callboard.events set published_at = now() - interval '2 hours'`)

  const leasing = await pool.connect()
  await leasing.query('begin')
  await leasing.query(`
    update callboard.lanes set state = 'leased', epoch = epoch + 1, room = 1, wake_at = now() + interval '1 hour'`)
  const retaining = store.maintenance.retain({ ...LONG, eventsMs: HOUR_MS }, 100)
  await waiting(pool, 1)
  await leasing.query('commit')
  leasing.release()
  expect(await retaining).toMatchObject({ events: 1, expired: 1 })
})
