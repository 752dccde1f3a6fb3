import { FAILING_RULE, type LeasedLane } from '@callboard/core/store'
import { createSubscription, ENTRY, leaseDue, sequenceAndLease } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eventDraft, newSubscription, settled } from '../../testing/inputs.ts'
import { migratedPool, waiting } from '../../testing/migrated-store.ts'
import type { PostgresStore } from '../postgres-store.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
})
beforeEach(async () => {
  ;({ pool, store } = await migratedPool(server))
  await createSubscription(store, newSubscription())
})
afterAll(() => server.stop())

const REQUEST = { lanes: 2 }

async function publish(): Promise<string> {
  const draft = eventDraft()
  await store.events.publishDrafts([draft])
  return draft.id
}

const eventIds = (lanes: readonly LeasedLane[]): string[] =>
  lanes.flatMap(({ deliveries }) => deliveries.map(({ eventId }) => eventId))

/**
 * Publishes an event and starts sequencing it while another transaction changes the event's lane. The other transaction
 * commits once the sequencing waits for it. Returns the leased lanes.
 */
async function sequenceDuring(change: string): Promise<readonly LeasedLane[]> {
  await publish()
  const other = await pool.connect()
  await other.query('begin')
  await other.query(change)
  const sequencing = sequenceAndLease(store, REQUEST)
  await waiting(pool, 1)
  await other.query('commit')
  other.release()
  const { sequenced, lanes, rest } = await sequencing
  expect([sequenced, rest]).toEqual([1, true])
  return lanes
}

it('leases the lanes of a single waiting event in the same call, without another scan', async () => {
  for (let round = 0; round < 8; round++) {
    const id = await publish()
    const { sequenced, lanes, rest } = await sequenceAndLease(store, REQUEST)
    expect([sequenced, rest, eventIds(lanes)]).toEqual([1, false, [id]])
    expect(await leaseDue(store)).toEqual([])
    const failing = FAILING_RULE
    expect((await store.deliveries.settle(lanes.map(settled), failing)).fenced).toEqual([])
  }
})

it('leases nothing if several events of an account wait, or if the event has more lanes than may be leased', async () => {
  await publish()
  await publish()
  expect(await sequenceAndLease(store, REQUEST)).toMatchObject({ sequenced: 2, lanes: [], rest: true })
  await store.deliveries.settle((await leaseDue(store)).map(settled), FAILING_RULE)
  for (let created = 0; created < 2; created++) await createSubscription(store, newSubscription())
  const id = await publish()
  expect(await sequenceAndLease(store, REQUEST)).toMatchObject({ sequenced: 1, lanes: [], rest: true })
  expect(eventIds(await leaseDue(store))).toEqual([id, id, id])
})

it('sequences the first of two events of different accounts, leases its lane, and says that more events wait', async () => {
  await store.accounts.createAccounts([{ id: 'b', name: 'B', entry: ENTRY }])
  await createSubscription(store, { ...newSubscription(), accountId: 'b' })
  const drafts = [eventDraft(), { ...eventDraft(), accountId: 'b' }]
  await store.events.publishDrafts(drafts)
  for (const [{ id }, more] of [
    [drafts[0]!, true],
    [drafts[1]!, false],
  ] as const) {
    const step = await sequenceAndLease(store, REQUEST)
    expect(step).toMatchObject({ sequenced: 1, rest: false, more })
    expect(eventIds(step.lanes)).toEqual([id])
    await store.deliveries.settle(step.lanes.map(settled), FAILING_RULE)
  }
})

it('loses nothing when the connection of a pass ends', async () => {
  const ids = [await publish(), await publish()]
  const holder = await pool.connect()
  await holder.query(`begin; select from callboard.lanes for update`)
  const died = sequenceAndLease(store, REQUEST).catch((error: unknown) => error)
  await waiting(pool, 1)
  await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`)
  expect(await died).toMatchObject({ code: 'UNAVAILABLE' })
  await holder.query('commit')
  holder.release()
  // The ended session reports its end before it gives its locks back.
  const locks = `select from pg_locks where locktype = 'advisory' and granted`
  await expect.poll(async () => (await pool.query(locks)).rowCount).toBe(0)
  expect(await sequenceAndLease(store, REQUEST)).toMatchObject({ sequenced: 2 })
  expect(eventIds(await leaseDue(store))).toEqual(ids)
})

it('leases nothing if the commit fails', async () => {
  await pool.query(`
create function callboard.at_commit() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
create constraint trigger at_commit after update on callboard.lanes deferrable initially deferred
  for each row execute function callboard.at_commit()`)
  const id = await publish()
  await expect(sequenceAndLease(store)).rejects.toThrow('refused')
  await pool.query('drop trigger at_commit on callboard.lanes')
  expect(eventIds((await sequenceAndLease(store)).lanes)).toEqual([id])
})

it('sequences several events at once if it must not lease any lane', async () => {
  await store.accounts.createAccounts([{ id: 'b', name: 'B', entry: ENTRY }])
  await store.events.publishDrafts([eventDraft(), { ...eventDraft(), accountId: 'b' }])
  const step = await sequenceAndLease(store, { lanes: 0 })
  expect(step).toMatchObject({ sequenced: 2, lanes: [], rest: true })
})

it('does not lease a lane that got a retry while the pass waited for the lock on that lane', async () => {
  expect(await sequenceDuring(`update callboard.lanes set wake_at = callboard.clock() + interval '1 hour'`)).toEqual([])
  expect(await leaseDue(store)).toHaveLength(1)
})

it('adds the event to a lane that was leased while the pass waited for the lock on that lane', async () => {
  const leased = `state = 'leased', epoch = epoch + 1, worker = 'x', wake_at = callboard.clock() + interval '1 minute'`
  expect(await sequenceDuring(`update callboard.lanes set ${leased}`)).toEqual([])
  const { rows } = await pool.query('select head > settled_through as more, worker from callboard.lanes')
  expect(rows).toEqual([{ more: true, worker: 'x' }])
})

it('does not lease a lane that was disabled while the pass waited for the lock on that lane', async () => {
  expect(await sequenceDuring(`update callboard.lanes set state = 'disabled', wake_at = null`)).toEqual([])
  expect(await leaseDue(store)).toEqual([])
})
