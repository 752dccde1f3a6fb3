import { FAILING_RULE, type LeasedDelivery, uuidFromId } from '@callboard/core/store'
import {
  createSubscription,
  disableSubscription,
  ENTRY,
  enableSubscription,
  leaseDue,
  removeSubscription,
  setOrdering,
} from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool, type PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription, settled } from '../../testing/inputs.ts'
import { migratedPool, migratedStore, waiting } from '../../testing/migrated-store.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'
import { migrate } from '../schema/migrate.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
  ;({ pool, store } = await migratedPool(server))
})

afterAll(() => server.stop())

async function publish(): Promise<void> {
  await store.events.publishDrafts([eventDraft()])
}

/** Takes a lock. The returned function releases it. */
async function hold(sql: string): Promise<(how?: 'commit' | 'rollback') => Promise<void>> {
  const client: PoolClient = await pool.connect()
  await client.query('begin')
  await client.query(sql)
  return async (how = 'commit') => {
    await client.query(how)
    client.release()
  }
}

function databaseUrl({ options }: Pool, name: string): string {
  const url = new URL(options.connectionString ?? '')
  url.pathname = `/${name}`
  return url.href
}

describe('a pass of the sequencer', () => {
  it('wakes a new lane even if the subscription was still being created when the pass began', async () => {
    const subscription = newSubscription()
    // Holds up the creation of a subscription in its last statement, after that statement's snapshot was taken, until
    // this transaction is rolled back.
    const blocker = await pool.connect()
    await blocker.query('begin')
    await blocker.query(`insert into callboard.subscription_types values ('a', 'live', 'order.paid', $1)`, [
      uuidFromId('sub', subscription.id),
    ])
    const creating = createSubscription(store, subscription)
    await waiting(pool, 1)
    await publish()
    const passing = store.deliveries.sequence(10)
    await waiting(pool, 2)
    await blocker.query('rollback')
    blocker.release()
    const [{ outcome }, sequenced] = await Promise.all([creating, passing])
    expect([outcome, sequenced]).toMatchObject(['created', { sequenced: 1 }])
    const lanes = await leaseDue(store)
    expect(lanes.map(({ deliveries }) => deliveries.length)).toEqual([1])
    expect(await store.deliveries.releaseLeases({ of: 'all' })).toBe(1)
  })

  it('locks no lane until the events are in the feed, so that settles wait less for lanes', async () => {
    await createSubscription(store, newSubscription())
    await publish()
    await publish()
    // The pass waits for this transaction, because the transaction has inserted a row with the key that the pass needs.
    const release = await hold(`
      insert into callboard.feed (account_id, mode, position, type, event_id)
      select 'a', 'live', position + 1, 'order.paid', gen_random_uuid() from callboard.sequencer`)
    const passing = store.deliveries.sequence(10)
    await waiting(pool, 1)
    const all = await pool.query('select from callboard.lanes')
    const free = await pool.query('select from callboard.lanes for update skip locked')
    expect(free.rows).toHaveLength(all.rows.length)
    await release('rollback')
    expect(await passing).toMatchObject({ sequenced: 2 })
  })

  it('does nothing while another pass is running', async () => {
    await publish()
    const release = await hold(`select pg_advisory_xact_lock(hashtextextended('callboard sequencer callboard', 0))`)
    expect((await store.deliveries.sequence(10)).sequenced).toBe(0)
    await release()
    expect((await store.deliveries.sequence(10)).sequenced).toBe(1)
  })
})

/** Callboard runs its own transactions again after a deadlock, so only the server's count shows that there was one. */
async function expectNoDeadlock(): Promise<void> {
  const { rows } = await pool.query(
    'select deadlocks::int as n from pg_stat_database where datname = current_database()',
  )
  expect(rows).toEqual([{ n: 0 }])
}

describe('locks are always taken in the same order', () => {
  it('by a removal, which waits while another transaction locks the lane and then the subscription', async () => {
    const subscription = newSubscription()
    await createSubscription(store, subscription)
    const client = await pool.connect()
    await client.query('begin')
    await client.query('select 1 from callboard.lanes for update')
    const removing = removeSubscription(store, subscription, ['dashboard'])
    await waiting(pool, 1)
    await client.query(`update callboard.subscriptions set changed_at = now()`)
    await client.query('commit')
    client.release()
    expect(await removing).toBe('changed')
    await expectNoDeadlock()
  })

  it('by enabling, which locks the sequencer before the lane', async () => {
    const subscription = newSubscription()
    await createSubscription(store, subscription)
    await disableSubscription(store, subscription)
    const releaseLane = await hold('select 1 from callboard.lanes for update')
    const enabling = enableSubscription(store, subscription)
    await waiting(pool, 1)
    await publish()
    const passing = store.deliveries.sequence(10)
    await waiting(pool, 2)
    await releaseLane()
    expect(await Promise.all([enabling, passing])).toMatchObject(['changed', { sequenced: 1 }])
    await expectNoDeadlock()
  })
})

describe('a worker that leaves', () => {
  it('waits for a lane that another transaction has locked, and locks its lanes in the order of their keys', async () => {
    await pool.query('delete from callboard.lanes')
    for (let lanes = 1; lanes <= 2; lanes++) await createSubscription(store, newSubscription())
    await publish()
    await store.deliveries.sequence(10)
    expect(await leaseDue(store, { worker: 'w' })).toHaveLength(2)
    const release = await hold('select 1 from callboard.lanes order by subscription_id limit 1 for update')
    const leaving = store.deliveries.releaseLeases({ of: 'worker', worker: 'w' })
    await waiting(pool, 1)
    const free = await pool.query('select 1 from callboard.lanes for update skip locked')
    expect(free.rows).toHaveLength(1)
    await release()
    await leaving
    expect(await leaseDue(store, { worker: 'w' })).toHaveLength(2)
    await expectNoDeadlock()
  })
})

describe('lanes of several accounts', () => {
  it('are locked by settle in the byte order of their keys, whatever the collation of the database', async () => {
    const name = `icu_${process.pid}`
    await pool.query(`create database ${name} template template0 locale_provider icu icu_locale 'en-US'`)
    const icu = new Pool({ ...pool.options, connectionString: databaseUrl(pool, name) })
    icu.on('error', () => undefined)
    const other = await migratedStore(icu)
    // In byte order Beta comes before acme; in English order it comes after.
    for (const id of ['acme', 'Beta']) {
      await other.accounts.createAccounts([{ id, name: id, entry: ENTRY }])
      await createSubscription(other, newSubscription({ accountId: id }))
      await other.events.publishDrafts([{ ...eventDraft(), accountId: id }])
    }
    await other.deliveries.sequence(10)
    const lanes = await leaseDue(other)
    const holder = await icu.connect()
    await holder.query('begin')
    await holder.query(`select 1 from callboard.lanes where account_id = 'Beta' for update`)
    const settling = other.deliveries.settle(lanes.map(settled), FAILING_RULE)
    await waiting(icu, 1)
    const free = await icu.query(`select 1 from callboard.lanes where account_id = 'acme' for update skip locked`)
    expect(free.rows).toHaveLength(1)
    await holder.query('commit')
    holder.release()
    expect((await settling).fenced).toEqual([])
    await icu.end()
  })

  it('are all leased, however often one of them was leased before', async () => {
    await pool.query(`delete from callboard.lanes`)
    await createSubscription(store, newSubscription())
    await publish()
    await store.deliveries.sequence(10)
    await pool.query('update callboard.lanes set epoch = 2147483647, claims = 32767')
    const [lane] = await leaseDue(store)
    expect(lane?.lease.epoch).toBe(2147483648)
    expect(await store.deliveries.checkLeases([lane!.lease])).toMatchObject([{ deliverable: true }])
    expect((await store.deliveries.settle([settled(lane!)], FAILING_RULE)).fenced).toEqual([])
  })
})

describe('a lease statement whose lane is settled after the statement took its snapshot', () => {
  it('leases the lane, and sees what the settle recorded', async () => {
    const other = await server.createPool()
    const plain = await migratedStore(other)
    const gated = new Pool({ ...other.options, options: '-c test.gate=1' })
    // This function is volatile, so it is called while the statement runs, after its snapshot was taken, and not while
    // the statement is planned.
    await other.query(`
      create or replace function callboard.clock() returns timestamptz language plpgsql volatile as $$
      begin
        if current_setting('test.gate', true) = '1' then perform pg_advisory_xact_lock_shared(4711); end if;
        return clock_timestamp();
      end $$`)
    const subscription = newSubscription()
    await createSubscription(plain, subscription)
    await setOrdering(plain, subscription, 'subject')
    for (const event of [eventDraft('s'), eventDraft('s')]) await plain.events.publishDrafts([event])
    await plain.deliveries.sequence(10)
    const [first] = await leaseDue(plain, { perLane: 1, leaseMs: 0 })
    const { lanes } = await plain.deliveries.due({ limit: 9, after: undefined })
    const due = lanes.map((lane) => ({ ...lane, room: 9 }))
    const holder = await other.connect()
    await holder.query('begin')
    await holder.query('select pg_advisory_xact_lock(4711)')
    const leasing = createPostgresStore({ pool: gated }).deliveries.lease({
      worker: 'w',
      call: 1,
      lanes: due,
      leaseMs: 60_000,
    })
    await waiting(other, 1)
    const [{ eventId, subject }] = first!.deliveries as [LeasedDelivery]
    const retry = { eventId, attempts: 1, delayMs: 60_000, suspect: false, redacted: false }
    const failed = { ...settled(first!), subjects: [subject!], retries: [retry] }
    expect(await plain.deliveries.settle([failed], FAILING_RULE)).toMatchObject({ fenced: [] })
    await holder.query('commit')
    holder.release()
    expect(await leasing).toMatchObject([{ deliveries: [{ subject, waiting: true }] }])
    await gated.end()
  })
})

describe('a settle that waits for its lane while the lane’s pending deliveries are ended', () => {
  it('records a failed delivery as disabled if the subscription is disabled and enabled, so that a range resends it', async () => {
    await pool.query('delete from callboard.lanes')
    const subscription = newSubscription()
    await createSubscription(store, subscription)
    await publish()
    await store.deliveries.sequence(10)
    const [lane] = await leaseDue(store)
    const [{ eventId }] = lane!.deliveries as [LeasedDelivery]
    await disableSubscription(store, subscription)
    // Enabling locks the lane, and then waits for the subscription.
    const release = await hold(
      `select from callboard.subscriptions where id = '${uuidFromId('sub', subscription.id)}' for update`,
    )
    const enabling = enableSubscription(store, subscription)
    await waiting(pool, 1)
    const retry = { eventId, attempts: 1, delayMs: 60_000, suspect: false, redacted: false }
    const settling = store.deliveries.settle([{ ...settled(lane!), retries: [retry] }], FAILING_RULE)
    await waiting(pool, 2)
    await release()
    expect(await enabling).toBe('changed')
    expect(await settling).toMatchObject({ fenced: [] })
    expect(await store.deliveryLog.find(subscription, eventId)).toMatchObject({ state: 'disabled', attempts: 1 })
  })
})

describe('the default isolation of the connections', () => {
  it('must be READ COMMITTED, because otherwise statements would make each other fail', async () => {
    const other = await server.createPool()
    const client = await other.connect()
    await migrate(client)
    client.release()
    const options = '-c default_transaction_isolation=repeatable\\ read'
    const strict = new Pool({ ...other.options, options })
    await expect(createPostgresStore({ pool: strict }).ready()).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('READ COMMITTED'),
    })
    await strict.end()
  })
})
