import type { Socket } from 'node:net'
import { FAILING_RULE, type LeasedLane, type NewSubscription } from '@callboard/core/store'
import {
  createSubscription,
  disableSubscription,
  leaseDue,
  reviseSubscription,
  sequenceAndLease,
  skipToNow,
} from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool, type PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription, settled } from '../../testing/inputs.ts'
import { migratedPool } from '../../testing/migrated-store.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore
/** A pool with a single connection, and the store that leases through it. */
let single: Pool
let worker: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
})
beforeEach(async () => {
  ;({ pool, store } = await migratedPool(server))
  single = new Pool({ ...pool.options, max: 1 })
  worker = createPostgresStore({ pool: single })
})
afterAll(() => server.stop())

async function publish(count = 1): Promise<string[]> {
  const drafts = Array.from({ length: count }, () => eventDraft())
  await store.events.publishDrafts(drafts)
  return drafts.map(({ id }) => id)
}

const eventIds = (lanes: readonly LeasedLane[]): string[] =>
  lanes.flatMap(({ deliveries }) => deliveries.map(({ eventId }) => eventId))

/** Leases through the single connection, and takes that connection between the lease and the read of its deliveries. */
async function leaseUntilRead(): Promise<{ client: PoolClient; leasing: Promise<LeasedLane[]> }> {
  const { lanes } = await store.deliveries.due({ limit: 100, after: undefined })
  await single.query('select')
  const request = { worker: 'w', call: 1, leaseMs: 60_000 }
  const leasing = worker.deliveries.lease({ ...request, lanes: lanes.map((lane) => ({ ...lane, room: 10 })) })
  return { client: await single.connect(), leasing }
}

describe('a lane that changes after its lease was committed and before its deliveries are read', () => {
  let subscription: NewSubscription
  /** Leases the lane of the subscription, and makes the change before its deliveries are read. */
  const leaseDuring = async (change: () => Promise<unknown>): Promise<LeasedLane[]> => {
    subscription = newSubscription()
    await createSubscription(store, subscription)
    await publish()
    await store.deliveries.sequence(10)
    const { client, leasing } = await leaseUntilRead()
    await change()
    client.release()
    return leasing
  }

  it('leases nothing if its deliveries were skipped, and leaves later events to the next lease', async () => {
    let later: string[] = []
    const lanes = await leaseDuring(async () => {
      await skipToNow(store, subscription)
      later = await publish()
      await store.deliveries.sequence(10)
    })
    expect(lanes).toMatchObject([{ deliveries: [] }])
    expect((await store.deliveries.settle(lanes.map(settled), FAILING_RULE)).fenced).toEqual([])
    expect(eventIds(await leaseDue(store))).toEqual(later)
  })

  it('may not be sent if it was disabled, and its lease can be settled', async () => {
    const lanes = await leaseDuring(() => disableSubscription(store, subscription))
    expect(lanes).toMatchObject([{ standing: { deliverable: false } }])
    expect((await store.deliveries.settle(lanes.map(settled), FAILING_RULE)).fenced).toEqual([])
  })

  it('is not returned if it lost the lease', async () => {
    const moved = { targetUrl: 'https://elsewhere.example.com/' }
    expect(await leaseDuring(() => reviseSubscription(store, subscription, moved))).toEqual([])
    expect(await leaseDue(store)).toMatchObject([{ ...moved, deliveries: [{}] }])
  })

  it('includes a delivery that was resent', async () => {
    let ended: string[] = []
    const lanes = await leaseDuring(async () => {
      await pool.query('update callboard.lanes set settled_through = head')
      ended = (await pool.query('select id from callboard.events')).rows.map(({ id }) => id)
      await pool.query(`insert into callboard.retries
        (account_id, mode, subscription_id, event_id, attempts, due_at, asked_at, manual, resent_epoch)
        select account_id, mode, subscription_id, '${ended[0]}', 0, clock_timestamp(), clock_timestamp(), true, epoch
        from callboard.lanes`)
    })
    expect(lanes).toMatchObject([{ deliveries: [{ position: undefined, attempts: 0 }] }])
    expect((await store.deliveries.settle(lanes.map(settled), FAILING_RULE)).fenced).toEqual([])
  })
})

describe('a client that stops reading', () => {
  const LANES = 64
  const BODY_BYTES = 256 * 1024

  beforeEach(async () => {
    for (let lanes = 0; lanes < LANES; lanes++) await createSubscription(store, newSubscription())
  })

  /** Stops a connection of `pg` from reading. */
  const stopReading = (client: object): { readonly pid: number; end(): void } => {
    const { connection, processID: pid } = client as { connection: { stream: Socket }; processID: number }
    connection.stream.pause()
    return { pid, end: () => void connection.stream.destroy() }
  }
  const publishLarge = async (events: number): Promise<void> => {
    await publish(events)
    await pool.query(`update callboard.events set body = '"' || repeat('x', ${BODY_BYTES}) || '"'`)
  }

  it('keeps no lane locked while the server sends it the deliveries that it has leased', async () => {
    await publishLarge(10)
    await store.deliveries.sequence(10)
    const { client, leasing } = await leaseUntilRead()
    const { pid, end } = stopReading(client)
    client.release()
    const lost = leasing.catch((error: unknown) => error)
    const stalled = `select from pg_stat_activity where pid = $1 and wait_event = 'ClientWrite'`
    await expect.poll(async () => (await pool.query(stalled, [pid])).rowCount, { timeout: 20_000 }).toBe(1)
    const locks = `select mode from pg_locks where pid = $1 and mode not in ('AccessShareLock', 'ExclusiveLock')`
    expect((await pool.query(locks, [pid])).rows).toEqual([])
    expect((await pool.query('update callboard.lanes set slow = slow')).rowCount).toBe(LANES)
    end()
    expect(await lost).toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('keeps no lane locked while it does not read the answer to a pass that leased lanes', async () => {
    await publishLarge(1)
    await worker.accounts.find('a')
    const client = await single.connect()
    const { end } = stopReading(client)
    client.release()
    const lost = sequenceAndLease(worker, { lanes: LANES }).catch((error: unknown) => error)
    const leased = `select from callboard.lanes where state = 'leased'`
    await expect.poll(async () => (await pool.query(leased)).rowCount, { timeout: 20_000 }).toBe(LANES)
    expect((await pool.query('update callboard.lanes set slow = slow')).rowCount).toBe(LANES)
    end()
    expect(await lost).toMatchObject({ code: 'UNAVAILABLE' })
  })
})
