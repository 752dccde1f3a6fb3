import { FAILING_RULE } from '@callboard/core/store'
import { createSubscription, leaseDue } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventDraft, newSubscription, settled } from '../../testing/inputs.ts'
import { migratedPool } from '../../testing/migrated-store.ts'
import type { PostgresStore } from '../postgres-store.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
  ;({ pool, store } = await migratedPool(server))
})

afterAll(() => server.stop())

it('gives each event its own body, and leases all lanes except one whose event contains the separator', async () => {
  const paid = newSubscription()
  const refunded = newSubscription({ eventTypes: ['order.refunded'] })
  for (const each of [paid, refunded]) await createSubscription(store, each)
  const broken = [eventDraft(), eventDraft()]
  const sound = [eventDraft(), eventDraft()].map((draft) => ({ ...draft, type: 'order.refunded' }))
  await store.events.publishDrafts([...broken, ...sound])
  await store.deliveries.sequence(10)
  const rewrite = `update callboard.events set body = $2 where type = $1`
  await pool.query(rewrite, ['order.refunded', '{\n"name": 1\n}'])
  await pool.query(rewrite, ['order.paid', '\x1e'])
  const lease = () => leaseDue(store, { leaseMs: 0 })

  const [lane, ...others] = await lease()
  expect(others).toEqual([])
  expect(lane?.deliveries.map(({ eventId, event }) => [eventId, event?.body])).toEqual(
    sound.map(({ id }) => [id, '{\n"name": 1\n}']),
  )
  if (lane !== undefined) await store.deliveries.settle([settled(lane)], FAILING_RULE)
  // A lane that was leased several times without a settle may be crashing its workers, so one event is leased at a
  // time.
  expect(
    [...(await lease()), ...(await lease())].map(({ deliveries }) => deliveries.map(({ eventId }) => eventId)),
  ).toEqual([[broken[0]?.id]])
})
