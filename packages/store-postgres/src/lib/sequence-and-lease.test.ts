import { FAILING_RULE, type LeasedLane } from '@callboard/core/store'
import { leaseDue } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eventDraft, newSubscription, ROOMY, settled } from '../testing/inputs.ts'
import { migratedPool, waiting } from '../testing/migrated-store.ts'
import type { PostgresStore } from './postgres-store.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
})
beforeEach(async () => {
  ;({ pool, store } = await migratedPool(server))
  await store.subscriptions.create(newSubscription(), ROOMY)
})
afterAll(() => server.stop())

const REQUEST = { worker: 'w', call: 1, lanes: 2, leaseMs: 60_000, leaveOut: [], leaveOutHosts: [] }

async function publish(): Promise<string> {
  const draft = eventDraft()
  await store.events.publish([draft])
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
  const sequencing = store.deliveries.sequenceAndLease(10, REQUEST)
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
    const { sequenced, lanes, rest } = await store.deliveries.sequenceAndLease(10, REQUEST)
    expect([sequenced, rest, eventIds(lanes)]).toEqual([1, false, [id]])
    expect(await leaseDue(store)).toEqual([])
    const failing = FAILING_RULE
    expect((await store.deliveries.settle(lanes.map(settled), failing)).fenced).toEqual([])
  }
})

it('leases nothing if several events of an account wait, or if the event has more lanes than may be leased', async () => {
  await publish()
  await publish()
  expect(await store.deliveries.sequenceAndLease(10, REQUEST)).toMatchObject({ sequenced: 2, lanes: [], rest: true })
  await store.deliveries.settle((await leaseDue(store)).map(settled), FAILING_RULE)
  for (let created = 0; created < 2; created++) await store.subscriptions.create(newSubscription(), ROOMY)
  const id = await publish()
  expect(await store.deliveries.sequenceAndLease(10, REQUEST)).toMatchObject({ sequenced: 1, lanes: [], rest: true })
  expect(eventIds(await leaseDue(store))).toEqual([id, id, id])
})

it('sequences the first of two events of different accounts, leases its lane, and says that more events wait', async () => {
  await store.accounts.create({ id: 'b', name: 'B' })
  await store.subscriptions.create({ ...newSubscription(), accountId: 'b' }, ROOMY)
  const drafts = [eventDraft(), { ...eventDraft(), accountId: 'b' }]
  await store.events.publish(drafts)
  for (const [{ id }, more] of [
    [drafts[0]!, true],
    [drafts[1]!, false],
  ] as const) {
    const step = await store.deliveries.sequenceAndLease(10, REQUEST)
    expect(step).toMatchObject({ sequenced: 1, rest: false, more })
    expect(eventIds(step.lanes)).toEqual([id])
    await store.deliveries.settle(step.lanes.map(settled), FAILING_RULE)
  }
})

it('sequences several events at once if it must not lease any lane', async () => {
  await store.accounts.create({ id: 'b', name: 'B' })
  await store.events.publish([eventDraft(), { ...eventDraft(), accountId: 'b' }])
  const step = await store.deliveries.sequenceAndLease(10, { ...REQUEST, lanes: 0 })
  expect(step).toMatchObject({ sequenced: 2, lanes: [], rest: true })
})

it('does not lease a lane that got a retry while the pass waited for the lock on that lane', async () => {
  expect(await sequenceDuring(`update callboard.lanes set wake_at = callboard.clock() + interval '1 hour'`)).toEqual([])
  expect(await leaseDue(store)).toHaveLength(1)
})

it('adds the event to a lane that was leased while the pass waited for the lock on that lane', async () => {
  const leased = `state = 'leased', epoch = epoch + 1, worker = 'x', wake_at = callboard.clock() + interval '1 minute'`
  expect(await sequenceDuring(`update callboard.lanes set ${leased}`)).toEqual([])
  const { rows } = await pool.query('select head > cursor as more, worker from callboard.lanes')
  expect(rows).toEqual([{ more: true, worker: 'x' }])
})

it('does not lease a lane that was disabled while the pass waited for the lock on that lane', async () => {
  expect(await sequenceDuring(`update callboard.lanes set state = 'disabled', wake_at = null`)).toEqual([])
  expect(await leaseDue(store)).toEqual([])
})
