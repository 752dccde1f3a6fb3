import { createId } from '@callboard/core'
import { type EventDraft, FAILING_RULE, idFromUuid } from '@callboard/core/store'
import { leaseDue, sequenceAndLease } from '@callboard/store-conformance'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventDraft, newSubscription, ROOMY, settled } from '../testing/inputs.ts'
import { migratedPool, waiting } from '../testing/migrated-store.ts'
import { createPostgresStore, type PostgresStore } from './postgres-store.ts'
import { setSequencerShards } from './set-sequencer-shards.ts'

let server: TestPostgres
let pool: Pool
let store: PostgresStore

beforeAll(async () => {
  server = await startPostgres()
})
beforeEach(async () => {
  ;({ pool, store } = await migratedPool(server))
})
afterAll(() => server.stop())

const ACCOUNTS = Array.from({ length: 24 }, (_, index) => `account-${index}`)

async function setShards(shards: number): Promise<number> {
  const client = await pool.connect()
  try {
    return await setSequencerShards(client, shards)
  } finally {
    client.release()
  }
}

/** Creates the accounts, each with one subscription. */
async function subscribeAll(): Promise<void> {
  for (const id of ACCOUNTS) {
    await store.accounts.create({ id, name: id })
    await store.subscriptions.create(newSubscription({ accountId: id }), ROOMY)
  }
}

/** Publishes one event for each of these accounts. */
async function publish(accounts: readonly string[] = ACCOUNTS): Promise<EventDraft[]> {
  const drafts = accounts.map((accountId) => ({ ...eventDraft(), accountId }))
  await store.events.publish(drafts)
  return drafts
}

const idsOf = (drafts: readonly EventDraft[]): string[] => drafts.map(({ id }) => id).sort()

/** The accounts that have events in the feed. */
async function sequencedAccounts(): Promise<string[]> {
  const { rows } = await pool.query('select distinct account_id from callboard.feed order by 1')
  return rows.map(({ account_id }) => account_id)
}

/** Leases all lanes that are due and settles them. Returns the events. */
async function deliverAll(): Promise<string[]> {
  const lanes = await leaseDue(store, { lanes: 100 })
  expect((await store.deliveries.settle(lanes.map(settled), FAILING_RULE)).fenced).toEqual([])
  return lanes.flatMap(({ deliveries }) => deliveries.map(({ eventId }) => eventId)).sort()
}

it('leases the lane of an event before it looks at the other shards, which the next calls do', async () => {
  await setShards(8)
  await subscribeAll()
  // Until the first call, the store assumes that there is one shard.
  await store.deliveries.sequence(1)
  const drafts = await publish(ACCOUNTS.slice(0, 2))
  const leased: string[] = []
  let calls = 0
  for (let more = true; more && calls < 5; calls++) {
    const step = await sequenceAndLease(store)
    leased.push(...step.lanes.flatMap(({ deliveries }) => deliveries.map(({ eventId }) => eventId)))
    more = step.more
  }
  expect(leased.sort()).toEqual(idsOf(drafts))
  expect(calls).toBe(3)
})

describe('the number of shards', () => {
  it.for([0, 65, 1.5, Number.NaN])('cannot be %s', async (shards) => {
    await expect(setShards(shards)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: `shards must be a whole number from 1 to 64, not ${shards}.`,
    })
  })

  it('is 1 at first, and each change returns the number before it', async () => {
    expect([await setShards(8), await setShards(3), await setShards(3)]).toEqual([1, 8, 3])
  })

  it('cannot be set before the database is migrated', async () => {
    const empty = await server.createPool()
    const client = await empty.connect()
    await expect(setSequencerShards(client, 8)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('callboard migrate'),
    })
    client.release()
  })

  it('changes once the running passes have ended, or not at all if that takes too long', async () => {
    const [pass, client] = [await pool.connect(), await pool.connect()]
    await pass.query('begin; select from callboard.sequencers for update')
    await expect(setSequencerShards(client, 8, { lockTimeoutMs: 10 })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const setting = setSequencerShards(client, 8)
    await waiting(pool, 1)
    await pass.query('commit')
    expect(await setting).toBe(1)
    for (const each of [pass, client]) each.release()
  })

  it('may change between any two events: the positions of an account only rise, and lanes get all later events', async () => {
    await subscribeAll()
    // These accounts are far ahead of the others, and move to other shards with every change.
    const busy = ACCOUNTS.slice(0, 4)
    for (const shards of [8, 1, 64, 5, 2, 7]) {
      const before = [...(await publish(busy)), ...(await publish(busy))]
      await store.deliveries.sequence(100)
      expect(await deliverAll()).toEqual(idsOf(before))
      await setShards(shards)
      const after = await publish()
      expect(await store.deliveries.sequence(100)).toBe(ACCOUNTS.length)
      expect(await deliverAll()).toEqual(idsOf(after))
    }
  })

  it('is learned by a store that has worked with another number, at its next call', async () => {
    await subscribeAll()
    const other = createPostgresStore({ pool })
    for (const shards of [8, 2, 64, 1]) {
      await publish()
      expect(await other.deliveries.sequence(100)).toBe(ACCOUNTS.length)
      await setShards(shards)
    }
  })

  it('does not change while a subscription is created, which then gets the next event', async () => {
    await subscribeAll()
    await setShards(2)
    const blocker = await pool.connect()
    await blocker.query(`begin; select from callboard.sequencers for update`)
    const client = await pool.connect()
    const setting = setSequencerShards(client, 8)
    await waiting(pool, 1)
    const creating = ACCOUNTS.slice(0, 3).map((accountId) =>
      store.subscriptions.create(newSubscription({ accountId }), ROOMY),
    )
    await waiting(pool, 4)
    await blocker.query('commit')
    for (const each of [blocker, client]) each.release()
    await setting
    expect((await Promise.all(creating)).map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created'])
    await publish(ACCOUNTS.slice(0, 3))
    await store.deliveries.sequence(100)
    expect(await deliverAll()).toHaveLength(6)
  })
})

describe('shards', () => {
  beforeEach(async () => {
    await setShards(8)
    await subscribeAll()
  })

  it('are sequenced independently: a shard that is locked holds up no other', async () => {
    const drafts = await publish()
    const holder = await pool.connect()
    await holder.query('begin')
    await holder.query(`select pg_advisory_xact_lock(hashtextextended('callboard sequencer callboard', 3))`)
    const free = await store.deliveries.sequence(100)
    expect(free).toBeGreaterThan(0)
    expect(free).toBeLessThan(ACCOUNTS.length)
    expect(await store.deliveries.sequence(100)).toBe(0)
    await holder.query('commit')
    holder.release()
    expect(await store.deliveries.sequence(100)).toBe(ACCOUNTS.length - free)
    expect(await deliverAll()).toEqual(idsOf(drafts))
  })

  it('are sequenced by other workers while one waits for a lane', async () => {
    await publish()
    await publish()
    const holder = await pool.connect()
    await holder.query(`begin; select from callboard.lanes where account_id = 'account-0' for update`)
    // This call stops at the shard of account-0, after it has sequenced only the shards before it.
    const stopped = store.deliveries.sequence(100)
    await waiting(pool, 1)
    const other = createPostgresStore({ pool })
    await other.deliveries.sequence(100)
    const sequenced = await sequencedAccounts()
    expect(sequenced).not.toContain('account-0')
    expect(sequenced.length).toBeGreaterThan(ACCOUNTS.length / 2)
    await holder.query('commit')
    holder.release()
    await stopped
    expect(await sequencedAccounts()).toEqual([...ACCOUNTS].sort())
  })

  it('lose nothing when the connection of a pass ends', async () => {
    const drafts = [...(await publish()), ...(await publish())]
    const holder = await pool.connect()
    await holder.query(`begin; select from callboard.lanes where account_id = 'account-0' for update`)
    const died = store.deliveries.sequence(100).catch((error: unknown) => error)
    await waiting(pool, 1)
    await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`)
    expect(await died).toMatchObject({ code: 'UNAVAILABLE' })
    await holder.query('commit')
    holder.release()
    // The ended session reports its end before it gives its locks back.
    const locks = `select from pg_locks where locktype = 'advisory' and granted`
    await expect.poll(async () => (await pool.query(locks)).rowCount).toBe(0)
    await createPostgresStore({ pool }).deliveries.sequence(100)
    expect(await deliverAll()).toEqual(idsOf(drafts))
  })

  it('keep the order of an account whose earlier event commits after its later ones', async () => {
    const [slow, ...accounts] = ACCOUNTS as [string, ...string[]]
    const client = await pool.connect()
    await client.query('begin')
    const late = { ...eventDraft(), accountId: slow }
    await store.events.publish([late], client)
    for (let passes = 0; passes < 5; passes++) {
      await publish(accounts)
      expect(await store.deliveries.sequence(100)).toBe(accounts.length)
    }
    await client.query('commit')
    client.release()
    expect(await store.deliveries.sequence(100)).toBe(1)
    const { rows } = await pool.query('select event_id from callboard.feed where account_id = $1', [slow])
    expect(rows.map(({ event_id }) => idFromUuid('evt', event_id))).toEqual([late.id])
  })

  it('share a batch: a call sequences no more events than it was asked to', async () => {
    await publish()
    let sequenced = 0
    for (let calls = 0; calls < 10; calls++) {
      const count = await store.deliveries.sequence(3)
      expect(count).toBeLessThanOrEqual(3)
      sequenced += count
    }
    expect(sequenced).toBe(ACCOUNTS.length)
  })

  it('are sequenced by passes that read the waiting events of other shards only once', async () => {
    const busy = createId('evt')
    await store.accounts.create({ id: busy, name: busy })
    const rowsRead = async (): Promise<number> => {
      const client = await pool.connect()
      await client.query('select pg_stat_force_next_flush()')
      const { rows } = await client.query(
        `select idx_tup_fetch::int as n from pg_stat_user_tables where relname = 'outbox' and schemaname = 'callboard'`,
      )
      client.release()
      return rows[0].n
    }
    await store.events.publish(Array.from({ length: 500 }, () => ({ ...eventDraft(), accountId: busy })))
    const holder = await pool.connect()
    const { rows } = await pool.query(`select ((hashtextextended($1, 0) & 65535) % 8)::int as shard`, [busy])
    await holder.query('begin')
    await holder.query(`select pg_advisory_xact_lock(hashtextextended('callboard sequencer callboard', $1))`, [
      rows[0].shard,
    ])
    for (let calls = 0; calls < 3; calls++) await store.deliveries.sequence(500)
    const before = await rowsRead()
    for (let calls = 0; calls < 20; calls++) await store.deliveries.sequence(500)
    // Only the shard that is locked reads its events in vain.
    expect(await rowsRead()).toBeLessThan(before + 20 * 8 * 10)
    await holder.query('commit')
    holder.release()
  })
})
