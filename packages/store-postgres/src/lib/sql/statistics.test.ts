import { createId } from '@callboard/core'
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

it('the statistics of Postgres contain no personal data and no responses', async () => {
  await createSubscription(store, newSubscription())
  await store.events.publishDrafts(
    Array.from({ length: 100 }, () => {
      return {
        ...eventDraft(),
        head: '{"mail":"in the body","sequence":',
        middle: '',
        patch: '{"mail":"in the patch"}',
      }
    }),
  )
  await store.deliveries.sequence(100)
  const [lane] = await leaseDue(store, { perLane: 100 })
  const attempts = lane!.deliveries.map(({ eventId }) => {
    const answer = { status: 200, reason: undefined, durationMs: 1, response: 'mail in the response' }
    return { id: createId('att'), eventId, number: 1, outcome: 'delivered', ...answer } as const
  })
  const ended = attempts.map(({ eventId }) => eventId)
  await store.deliveries.settle([{ ...settled(lane!), attempts, ended }], FAILING_RULE)
  await pool.query('analyze')

  const { rows } = await pool.query(
    `select tablename, attname, most_common_vals::text || coalesce(histogram_bounds::text, '') as kept
      from pg_stats where schemaname = 'callboard'`,
  )
  expect(rows).toContainEqual({ tablename: 'attempts', attname: 'outcome', kept: '{delivered}' })
  expect(rows.filter(({ kept }) => kept?.includes('mail'))).toEqual([])
})
