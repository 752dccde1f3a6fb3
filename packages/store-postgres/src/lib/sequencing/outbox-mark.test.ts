import { createSubscription, ENTRY, sequenceAndLease } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool, PoolClient } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription } from '../../testing/inputs.ts'
import { migratedPool } from '../../testing/migrated-store.ts'
import type { PostgresStore } from '../postgres-store.ts'

let server: TestPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** A transaction that is open for longer than this no longer delays the mark. */
const LONG_MS = 1_100

it('sequences events of a transaction that commits long after later events were queued', async () => {
  const { pool, store } = await migratedPool(server)
  await createSubscription(store, newSubscription())
  const [long, short] = [await pool.connect(), await pool.connect()]
  await long.query('begin')
  await store.events.publishDrafts([eventDraft()], long)
  for (const startedAt = performance.now(); performance.now() - startedAt < LONG_MS; ) {
    await short.query('begin')
    await store.events.publishDrafts([eventDraft()], short)
    await store.events.publishDrafts([eventDraft()])
    expect((await store.deliveries.sequence(10)).sequenced).toBe(1)
    await short.query('commit')
    expect((await store.deliveries.sequence(10)).sequenced).toBe(1)
  }
  await store.events.publishDrafts([eventDraft()], long)
  expect((await store.deliveries.sequence(10)).sequenced).toBe(0)
  await long.query('commit')
  expect((await store.deliveries.sequence(1)).sequenced).toBe(1)
  expect((await store.deliveries.sequence(10)).sequenced).toBe(1)
  for (const client of [long, short]) client.release()
})

it('sequences an event that was queued first and committed last, by the transaction with the higher id', async () => {
  const { pool, store } = await migratedPool(server)
  const [lower, higher] = [await pool.connect(), await pool.connect()]
  await lower.query('begin; select pg_current_xact_id()')
  await higher.query('begin')
  await store.events.publishDrafts([eventDraft()], higher)
  await store.events.publishDrafts([eventDraft()], lower)
  await lower.query('commit')
  expect((await store.deliveries.sequence(10)).sequenced).toBe(1)
  expect((await store.deliveries.sequence(10)).sequenced).toBe(0)
  await higher.query('commit')
  expect((await store.deliveries.sequence(10)).sequenced).toBe(1)
  for (const client of [lower, higher]) client.release()
})

describe('a mark after a pass that left an event for the next pass', () => {
  let pool: Pool
  let store: PostgresStore
  let late: PoolClient[]
  beforeEach(async () => {
    ;({ pool, store } = await migratedPool(server))
    for (const id of ['b', 'c']) await store.accounts.createAccounts([{ id, name: id, entry: ENTRY }])
    late = [await pool.connect(), await pool.connect()]
    for (const client of late) await client.query('begin')
  })
  afterEach(() => {
    for (const client of late) client.release()
  })
  const publish = async (accountId: string, client?: PoolClient): Promise<string> => {
    const draft = { ...eventDraft(), accountId }
    await store.events.publishDrafts([draft], client)
    return draft.id
  }
  /** Passes that may lease a lane, until one of them leaves no event. Returns how many events each sequenced. */
  const passes = async (): Promise<number[]> => {
    const counts: number[] = []
    for (let more = true; more; ) {
      const step = await sequenceAndLease(store, { lanes: 1 })
      counts.push(step.sequenced)
      more = step.more && counts.length < 5
    }
    return counts
  }
  const commit = (client: PoolClient | undefined): Promise<unknown> => client!.query('commit')

  it('does not skip that event if an event that was queued earlier is committed in between', async () => {
    const [first] = late
    await publish('c', first)
    await publish('a')
    await publish('b')
    expect(await sequenceAndLease(store, { lanes: 1 })).toMatchObject({ sequenced: 1, more: true })
    await commit(first)
    expect(await passes()).toEqual([1, 1])
  })

  it('does not skip that event if it was queued earlier than an event of an earlier pass', async () => {
    const [first, second] = late
    await publish('b', first)
    await publish('c', second)
    await publish('a')
    expect(await passes()).toEqual([1])
    await commit(first)
    await commit(second)
    expect(await passes()).toEqual([1, 1])
  })
})

it('does not read more and more dead rows while a transaction blocks vacuum', async () => {
  const { pool, store } = await migratedPool(server)
  await pool.query('alter table callboard.outbox set (autovacuum_enabled = false)')
  const holder = await pool.connect()
  await holder.query('begin isolation level repeatable read; select 1 from callboard.accounts')
  const pass = async (): Promise<void> => {
    await store.events.publishDrafts(Array.from({ length: 100 }, () => eventDraft()))
    expect((await store.deliveries.sequence(500)).sequenced).toBe(100)
  }
  const read = async (): Promise<number> => {
    await pass()
    await pool.query('select pg_stat_force_next_flush()')
    const { rows } = await pool.query(
      "select idx_tup_fetch::int as n from pg_stat_user_indexes where indexrelname = 'outbox_pkey' and schemaname = " +
        "'callboard'",
    )
    return rows[0]?.n
  }
  for (let passes = 0; passes < 3; passes++) await pass()
  const before = await read()
  for (let passes = 0; passes < 20; passes++) await pass()
  const between = await read()
  expect(between - before).toBeLessThan(30 * 100)
  holder.release()
})
