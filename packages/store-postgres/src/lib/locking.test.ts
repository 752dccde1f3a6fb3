import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription } from '../testing/inputs.ts'
import { migrate } from './migrate.ts'
import { createPostgresStore, type PostgresStore } from './postgres-store.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
  pool = await server.createPool()
  const client = await pool.connect()
  await migrate(client)
  client.release()
  store = createPostgresStore({ pool })
  await store.accounts.create({ id: 'a', name: 'A' })
})

afterAll(() => server.stop())

async function publish(): Promise<void> {
  await store.events.publish([eventDraft()])
}

async function waiting(count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    if (rows.length >= count) return
  }
}

/** Holds a lock until it is told to let go. */
async function hold(sql: string): Promise<() => Promise<void>> {
  const client: PoolClient = await pool.connect()
  await client.query('begin')
  await client.query(sql)
  return async () => {
    await client.query('commit')
    client.release()
  }
}

describe('a pass of the sequencer', () => {
  it('wakes the lane of a subscription that was made while it waited for its turn', async () => {
    // The create holds the sequencer's row; the pass begins before the create has committed.
    const letSequencerGo = await hold('select 1 from callboard.sequencers for update')
    const creating = store.subscriptions.create(newSubscription(), 500)
    await waiting(1)
    await publish()
    const passing = store.deliveries.sequence(10)
    await waiting(2)
    await letSequencerGo()
    const [made, placed] = await Promise.all([creating, passing])
    expect([made.outcome, placed]).toEqual(['created', 1])

    // Older or newer than the event: it starts with what is new, and gets it.
    await publish()
    expect(await store.deliveries.sequence(10)).toBe(1)
    const lanes = await store.deliveries.lease({ worker: 'w', lanes: 9, perLane: 9, leaseMs: 60_000, slow: false })
    expect(lanes.map(({ deliveries }) => deliveries.length)).toEqual([1])
    expect(await store.deliveries.releaseLeases()).toBe(1)
  })

  it('leaves it to the one that is at it', async () => {
    await publish()
    const letGo = await hold(`select pg_advisory_xact_lock(hashtextextended('callboard sequencer callboard', 0))`)
    expect(await store.deliveries.sequence(10)).toBe(0)
    await letGo()
    expect(await store.deliveries.sequence(10)).toBe(1)
  })
})

describe('locks are taken in one order', () => {
  it('by a removal that meets whoever holds the lane and changes the subscription next', async () => {
    const made = newSubscription()
    await store.subscriptions.create(made, 500)
    const client = await pool.connect()
    await client.query('begin')
    await client.query('select 1 from callboard.lanes for update')
    const removing = store.subscriptions.remove(made, 'dashboard')
    await waiting(1)
    await client.query(`update callboard.subscriptions set changed_at = now()`)
    await client.query('commit')
    client.release()
    expect(await removing).toBe('removed')
  })

  it('by enabling, which asks for the sequencer before the lane', async () => {
    const made = newSubscription()
    await store.subscriptions.create(made, 500)
    await store.subscriptions.disable(made, 'manual')
    const letLaneGo = await hold('select 1 from callboard.lanes for update')
    const enabling = store.subscriptions.enable(made)
    await waiting(1)
    await publish()
    const passing = store.deliveries.sequence(10)
    await waiting(2)
    await letLaneGo()
    expect(await Promise.all([enabling, passing])).toEqual([true, 1])
    const { rows } = await pool.query(
      'select deadlocks::int as n from pg_stat_database where datname = current_database()',
    )
    expect(rows).toEqual([{ n: 0 }])
  })
})

describe('the default isolation of the connections', () => {
  it('is refused when it is not READ COMMITTED, in which statements would fail each other', async () => {
    const other = await server.createPool()
    const client = await other.connect()
    await migrate(client)
    client.release()
    const options = '-c default_transaction_isolation=repeatable\\ read'
    const { Pool: PgPool } = await import('pg')
    const strict = new PgPool({ ...other.options, options })
    await expect(createPostgresStore({ pool: strict }).ready()).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('READ COMMITTED'),
    })
    await strict.end()
  })
})
