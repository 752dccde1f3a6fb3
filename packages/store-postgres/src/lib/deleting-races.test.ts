import { REPLACES } from '@callboard/core/store'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription, ROOMY } from '../testing/inputs.ts'
import { migratedPool, waiting } from '../testing/migrated-store.ts'
import type { PostgresStore } from './postgres-store.ts'

const YEAR_MS = 366 * 86_400_000
const KEPT = {
  eventsMs: YEAR_MS,
  attemptsMs: YEAR_MS,
  responsesMs: YEAR_MS,
  subscriptionsMs: YEAR_MS,
  maxResponses: 1_000,
}

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const subscription = newSubscription()

beforeEach(async () => {
  ;({ pool, store } = await migratedPool(server))
  await store.subscriptions.create(subscription, ROOMY)
})

/** The tables that have rows of the account `a`. */
async function left(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    select table_name::text as name from information_schema.columns
    where table_schema = 'callboard' and column_name = 'account_id' and table_name <> 'retention' order by 1`)
  const found: string[] = []
  for (const { name } of rows) {
    const { rowCount } = await pool.query(`select from callboard.${name} where account_id = 'a' limit 1`)
    if (rowCount !== 0) found.push(name)
  }
  return found
}

describe('deleting an account', () => {
  it('leaves nothing of a subscription that is enabled meanwhile', async () => {
    await store.subscriptions.disable(subscription, 'platform', REPLACES.platform)
    const holder = await pool.connect()
    await holder.query('begin; select from callboard.lanes for update')
    const enabling = store.subscriptions.enable(subscription, ['platform'])
    await waiting(pool, 1)
    // The deletion has emptied the first tables when it waits for the lane.
    const deleting = store.accounts.delete('a')
    await waiting(pool, 2)
    await holder.query('commit')
    holder.release()
    await enabling
    expect(await deleting).toBe(true)
    expect(await left()).toEqual([])
  })

  it('waits for a subscription that is being created, and leaves nothing of it', async () => {
    const holder = await pool.connect()
    await holder.query('begin; select from callboard.sequencers for update')
    // It has seen the account's lock and waits for the sequencer.
    const creating = store.subscriptions.create(newSubscription(), ROOMY)
    await waiting(pool, 1)
    const deleting = store.accounts.delete('a')
    await waiting(pool, 2)
    await holder.query('commit')
    holder.release()
    await creating
    expect(await deleting).toBe(true)
    expect(await left()).toEqual([])
  })

  it('leaves what a transaction of the platform commits later to retention', async () => {
    const tx = await pool.connect()
    await tx.query('begin')
    await store.events.publish([eventDraft(), eventDraft()], tx)
    expect(await store.accounts.delete('a')).toBe(true)
    await tx.query('commit')
    tx.release()
    expect(await left()).toEqual(['events', 'outbox', 'subjects'])
    await store.deliveries.sequence(1)
    for (let state = 'more'; state !== 'done'; ) state = (await store.maintenance.retain(KEPT, 100)).state
    expect(await left()).toEqual([])
  })
})
