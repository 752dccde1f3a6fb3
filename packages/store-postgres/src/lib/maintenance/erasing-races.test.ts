import { createId } from '@callboard/core'
import { type AttemptRecord, type EventDraft, FAILING_RULE, type LeasedLane, uuidFromId } from '@callboard/core/store'
import { createSubscription, leaseDue } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription, settled } from '../../testing/inputs.ts'
import { migratedPool, waiting } from '../../testing/migrated-store.ts'
import type { PostgresStore } from '../postgres-store.ts'

const SUBSCRIPTION = newSubscription()

let server: TestPostgres
let pool: Pool
let store: PostgresStore
let event: EventDraft
let lane: LeasedLane

beforeAll(async () => {
  server = await startPostgres()
  ;({ pool, store } = await migratedPool(server))
  await createSubscription(store, SUBSCRIPTION)
})

afterAll(() => server.stop())

// An event in flight: leased, sent and answered.
beforeEach(async () => {
  event = eventDraft()
  await store.events.publishDrafts([event])
  await store.deliveries.sequence(10)
  const [leased] = await leaseDue(store)
  lane = leased!
})

afterEach(() => store.deliveries.releaseLeases({ of: 'all' }))

/** Takes a lock. The returned function releases it. */
async function hold(sql: string): Promise<() => Promise<void>> {
  const client = await pool.connect()
  await client.query('begin')
  await client.query(sql)
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

function settle(id = createId('att')) {
  const attempt: AttemptRecord = {
    id,
    eventId: event.id,
    number: 1,
    outcome: 'delivered',
    status: 200,
    reason: undefined,
    durationMs: 1,
    response: 'what the target repeats',
  }
  const settlement = { ...settled(lane), attempts: [attempt], ended: [event.id] }
  return store.deliveries.settle([settlement], FAILING_RULE)
}

async function erase(...events: EventDraft[]) {
  const { since } = await store.maintenance.openTransactions()
  const kept = { fingerprint: 'erased.f', body: undefined, personDigest: undefined }
  return store.maintenance.erase(
    [event, ...events].map(({ accountId, mode, id, fingerprint }) => {
      return { accountId, mode, id, from: fingerprint, ...kept }
    }),
    since,
  )
}

async function storedResponses(): Promise<(string | undefined)[]> {
  const attempts = await store.deliveryLog.attempts(SUBSCRIPTION, { eventId: event.id, before: undefined, limit: 10 })
  return attempts.map(({ response }) => response)
}

describe('an event that is erased while its delivery is settled leaves no response behind', () => {
  it('if the settle began before the erasure and reads the event after the erasure', async () => {
    const release = await hold('select 1 from callboard.lanes for update')
    const settling = settle()
    await waiting(pool, 1)
    await erase()
    await release()
    await settling
    expect(await storedResponses()).toEqual([undefined])
  })

  it('if the settle has read the event but not committed, so that the erasure waits for the settle', async () => {
    // The settle has read the event when it inserts the attempt, and then waits for this row with the same key.
    const id = createId('att')
    const release = await hold(
      `insert into callboard.attempts
        (account_id, mode, subscription_id, id, event_id, number, outcome, started_at, duration_ms)
        select 'a', 'live', subscription_id, '${uuidFromId('att', id)}', '${uuidFromId('evt', event.id)}', 1, 'failed',
          now(), 1
        from callboard.lanes`,
    )
    const settling = settle(id)
    await waiting(pool, 1)
    const erasing = erase()
    await Promise.race([waiting(pool, 2), erasing])
    await release()
    await settling
    expect(await erasing).toEqual({ events: 1, late: 0, responses: 1 })
    expect(await storedResponses()).toEqual([undefined])
  })

  it('if the settle reads the event before the erasure commits, without waiting for the erasure', async () => {
    const other = eventDraft()
    await store.events.publishDrafts([other])
    // The erasure handles the events in the order of their ids, so it has erased the first one and waits for the
    // second.
    const release = await hold('select 1 from callboard.events order by id desc limit 1 for share')
    const erasing = erase(other)
    await waiting(pool, 1)
    await settle()
    await release()
    expect(await erasing).toEqual({ events: 2, late: 0, responses: 0 })
    expect(await storedResponses()).toEqual([undefined])
  })
})
