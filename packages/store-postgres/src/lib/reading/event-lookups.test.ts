import { createSubscription } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription } from '../../testing/inputs.ts'
import { migratedPool } from '../../testing/migrated-store.ts'
import type { PostgresStore } from '../postgres-store.ts'

const EVENTS = 2_000

describe('the events of an account that has grown since the table was last analysed', () => {
  let server: TestPostgres
  let pool: Pool
  let store: PostgresStore
  beforeAll(async () => {
    server = await startPostgres()
    ;({ pool, store } = await migratedPool(server))
    // Analyses the table while it is nearly empty. Autovacuum is off, because it would analyse the table again later.
    await pool.query('alter table callboard.events set (autovacuum_enabled = false)')
    await pool.query('analyze callboard.events')
    await createSubscription(store, newSubscription())
    await store.events.publishDrafts(Array.from({ length: EVENTS }, () => eventDraft()))
  })
  afterAll(() => server.stop())

  /** How often this index of `events` has been scanned, and how many index entries the scans read. */
  const reads = async (index: string): Promise<{ scans: number; entries: number }> => {
    const { rows } = await pool.query<{ scans: number; entries: number }>(
      `select idx_scan::int as scans, idx_tup_read::int as entries from pg_stat_user_indexes where indexrelname = $1`,
      [index],
    )
    return rows[0] ?? { scans: 0, entries: 0 }
  }

  it('are looked up one by one, by the primary key, when they are sequenced', async () => {
    const lookups = 500
    const before = await settledReads(pool, () => reads('events_pkey'))
    expect((await store.deliveries.sequence(lookups)).sequenced).toBe(lookups)
    const after = await settledReads(pool, () => reads('events_pkey'))
    expect(after.scans - before.scans).toBe(lookups)
    expect(after.entries - before.entries).toBeLessThanOrEqual(2 * lookups)
    expect(await reads('events_page')).toEqual({ scans: 0, entries: 0 })
    expect(await reads('events_type_page')).toEqual({ scans: 0, entries: 0 })
  })
})

/** Makes every connection report its statistics to the server, and then reads the counts. */
async function settledReads<Reads>(pool: Pool, read: () => Promise<Reads>): Promise<Reads> {
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()))
  for (const client of clients) {
    await client.query('select pg_stat_force_next_flush()')
    client.release()
  }
  return read()
}
