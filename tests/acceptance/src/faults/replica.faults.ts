import { createCallboard, type Scope } from '@callboard/core'
import { createRouter } from '@callboard/router'
import { createPostgresStore, migrate, type PostgresStoreOptions } from '@callboard/store-postgres'
import { type FaultProxy, type ReplicablePostgres, startFaultProxy, startOwnPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { issueKey, orderPaidEvent } from '../arrange.ts'
import { RING, type SampleCallboard } from '../on-each-store.ts'
import { catalog } from '../sample-catalog.ts'

/** Longer than any test, so that a replica that replays nothing is still good enough. */
const FOR_EVER_MS = 3_600_000

let primary: ReplicablePostgres
let replica: ReplicablePostgres
/** Leads to the replica, until a test moves it. */
let address: FaultProxy
let pools: Pool[] = []
let others: ReplicablePostgres[] = []
/** Reads only from the primary. */
let callboard: SampleCallboard
let token: string
let privileged: string

function poolOn(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 4 })
  pool.on('error', () => undefined)
  pools.push(pool)
  return pool
}

function open(store: Omit<PostgresStoreOptions, 'pool'> = {}, url: string = primary.url): SampleCallboard {
  return createCallboard({
    catalog,
    store: createPostgresStore({ pool: poolOn(url), ...store }),
    secretKeys: { current: 'k1', keys: { k1: RING.k1 } },
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
  })
}

/** Reads from the replica, which has replayed all that was committed before this call. */
async function openWithReader(options: Omit<PostgresStoreOptions, 'pool' | 'reader'> = {}): Promise<SampleCallboard> {
  await replayed()
  const facade = open({ reader: poolOn(address.through(replica.url)), maxLagMs: FOR_EVER_MS, ...options })
  await read(facade)
  return facade
}

async function onReplica(text: string): Promise<Record<string, unknown>[]> {
  return (await poolOn(replica.url).query(text)).rows
}

/** Resolves once the replica has replayed all that is on the primary's disk. */
async function replayed(): Promise<void> {
  const { rows } = await poolOn(primary.url).query('select pg_current_wal_flush_lsn()::text as lsn')
  await expect
    .poll(() => onReplica(`select pg_last_wal_replay_lsn() >= '${rows[0].lsn}' as done`), { timeout: 20_000 })
    .toEqual([{ done: true }])
}

/** From now on, the replica shows the past, until it resumes. */
async function pauseReplay(): Promise<void> {
  await replayed()
  await onReplica('select pg_wal_replay_pause()')
  await expect
    .poll(() => onReplica('select pg_get_wal_replay_pause_state() as state'), { timeout: 20_000 })
    .toEqual([{ state: 'paused' }])
}

async function publish(facade = callboard): Promise<string> {
  return (await facade.publish(orderPaidEvent())).id
}

/** The ids of the events that `GET /v1/events` returns. */
async function read(facade: SampleCallboard, key: string = token, query = ''): Promise<string[]> {
  const response = await get(facade, `/v1/events${query}`, key)
  expect(response.status).toBe(200)
  const { data }: { data: { id: string }[] } = await response.json()
  return data.map(({ id }) => id)
}

function get(facade: SampleCallboard, path: string, key: string = token): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` }
  return createRouter(facade).fetch(new Request(`https://example.com${path}`, { headers }))
}

const keyWith = async (scopes: readonly Scope[]): Promise<string> =>
  (await issueKey(callboard, { scopes: [...scopes] })).token

beforeEach(async () => {
  primary = await startOwnPostgres()
  replica = await primary.startStandby()
  address = await startFaultProxy(replica.url)
  const client = await poolOn(primary.url).connect()
  await migrate(client)
  client.release()
  callboard = open()
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  token = await keyWith(['webhooks.read'])
  privileged = await keyWith(['webhooks.read', 'people.read'])
})

afterEach(async () => {
  await address.pass()
  for (const pool of pools) await pool.end()
  pools = []
  await address.stop()
  for (const server of [...others, replica, primary]) await server.stop()
  others = []
})

describe('pages from a replica', () => {
  it('show events without personal data; everything else comes from the primary', async () => {
    const reading = await openWithReader()
    const [first, second] = [await publish(), await publish()]
    await pauseReplay()
    const third = await publish()
    expect(await read(reading)).toEqual([second, first])
    expect(await read(reading, token, '?type=order.paid')).toEqual([second, first])
    expect((await reading.events.page({ accountId: 'acc' })).data.map(({ id }) => id)).toEqual([second, first])
    expect(await read(reading, privileged)).toEqual([third, second, first])
    expect(await read(reading, privileged, '?type=order.paid')).toEqual([third, second, first])
    expect(await reading.events.find({ accountId: 'acc', id: third })).toMatchObject({ id: third })
  })
})
