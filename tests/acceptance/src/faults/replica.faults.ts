import { setTimeout as delay } from 'node:timers/promises'
import { createCallboard, type RateLimiter, type Scope } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { Finding } from '@callboard/core/store'
import { startWorker } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import {
  createPostgresRateLimiter,
  createPostgresStore,
  grantsSql,
  migrate,
  type PostgresStoreOptions,
} from '@callboard/store-postgres'
import { type FaultProxy, type ReplicablePostgres, startFaultProxy, startOwnPostgres } from '@callboard/testbed'
import { Client, Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { issueKey, orderPaidEvent } from '../arrange.ts'
import { RING, type SampleCallboard } from '../on-each-store.ts'
import { catalog } from '../sample-catalog.ts'

/** Longer than any test, so that a replica is used even if it has stopped replaying. */
const FOR_EVER_MS = 3_600_000
/** Shorter than any test, but longer than the lag of a replica that replays. */
const MAX_LAG_MS = 1_000
const WITHIN = { timeout: 60_000 } as const

let primary: ReplicablePostgres
let replica: ReplicablePostgres
/** The proxy in front of the replica. A test can point it at another server. */
let address: FaultProxy
let pools: Pool[] = []
let others: ReplicablePostgres[] = []
/** How many times a reader has been asked. */
let asked: number
/** A facade that reads only from the primary. */
let callboard: SampleCallboard
let token: string

function poolOn(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 4 })
  pool.on('error', () => undefined)
  pools.push(pool)
  return pool
}

interface Options extends Omit<PostgresStoreOptions, 'pool' | 'reader'> {
  /** The primary, by default. */
  readonly url?: string
  readonly readerUrl?: string
  readonly limits?: RateLimiter
}

function open({ url = primary.url, readerUrl, limits, ...store }: Options = {}): SampleCallboard {
  const reader = readerUrl === undefined ? undefined : poolOn(readerUrl)
  reader?.on('acquire', () => asked++)
  return createCallboard({
    catalog,
    store: createPostgresStore({ pool: poolOn(url), reader, ...store }),
    secretKeys: { current: 'k1', keys: { k1: RING.k1 } },
    rateLimiter: limits,
    targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
  })
}

/** Opens a facade that reads from the replica. The replica has replayed everything that was committed before. */
async function openOnReplica(options: Options = {}): Promise<SampleCallboard> {
  const facade = open({ readerUrl: address.through(replica.url), maxLagMs: FOR_EVER_MS, ...options })
  await replayed()
  await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
  return facade
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Resolves once a replica has replayed all that is on a primary's disk. */
async function replayed(by = replica, of = primary): Promise<void> {
  const [mark] = await query(of.url, 'select pg_current_wal_flush_lsn()::text as lsn')
  const look = `select pg_last_wal_replay_lsn() >= '${mark?.['lsn']}' as done`
  await expect.poll(() => query(by.url, look), WITHIN).toEqual([{ done: true }])
}

/** Pauses replay, so that the replica returns old data from now on. */
async function pauseReplay(of = replica): Promise<void> {
  await query(of.url, 'select pg_wal_replay_pause()')
  const look = 'select pg_get_wal_replay_pause_state() as state'
  await expect.poll(() => query(of.url, look), WITHIN).toEqual([{ state: 'paused' }])
}

/** Makes every read of a page also run this statement, but only on the replica. */
async function onReplicaOnly(statement: string): Promise<void> {
  await query(
    primary.url,
    `create or replace function callboard.clock() returns timestamptz language plpgsql stable
      as $$ begin if pg_is_in_recovery() then ${statement}; end if; return clock_timestamp(); end $$`,
  )
  await replayed()
}

/** Whether pages come from the replica. If it could not answer the first page, it would not be asked for the second. */
async function isUsed(facade: SampleCallboard): Promise<boolean> {
  const before = asked
  await read(facade)
  await read(facade)
  return asked === before + 2
}

async function publish(facade = callboard): Promise<string> {
  return (await facade.publish(orderPaidEvent())).id
}

/** The ids of the events that `GET /v1/events` returns. */
async function read(facade: SampleCallboard, key: string = token, search = ''): Promise<string[]> {
  const { data } = await get<{ data: { id: string }[] }>(facade, `/v1/events${search}`, key)
  return data.map(({ id }) => id)
}

async function get<Body>(facade: SampleCallboard, path: string, key: string): Promise<Body> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await createRouter(facade).fetch(new Request(`https://example.com${path}`, { headers }))
  expect(response.status).toBe(200)
  return response.json()
}

interface FeedPage {
  readonly data: readonly { readonly id: string }[]
  readonly nextCursor: string
  readonly truncated: boolean
}

/** Reads a page of the feed, from its end or from a cursor. */
async function readFeed(facade: SampleCallboard, after?: string, limit = 100, key = token) {
  const query = new URLSearchParams({ limit: String(limit), ...(after === undefined ? {} : { after }) })
  const { data, nextCursor, truncated } = await get<FeedPage>(facade, `/v1/events/feed?${query}`, key)
  return { ids: data.map(({ id }) => id), nextCursor, truncated }
}

const sequence = (facade = callboard) => engineOf(facade).store.deliveries.sequence(100)

async function keyWith(...scopes: Scope[]): Promise<string> {
  return (await issueKey(callboard, { scopes })).token
}

const gauges = async (facade: SampleCallboard) => (await engineOf(facade).store.deliveries.gauges()).replica

/** What `callboard doctor` says about the replica. */
async function finding(facade: SampleCallboard): Promise<Finding | undefined> {
  const { findings } = await engineOf(facade).store.survey(0)
  return findings.find(({ check }) => check === 'replica')
}

const UP_TO_DATE: Finding = { check: 'replica', verdict: 'ok', message: 'it is up to date' }
const unused = (message: string) => ({
  verdict: 'warning',
  message: `${message}; the primary reads all pages`,
  advice: expect.any(String),
})

beforeEach(async () => {
  asked = 0
  // With this setting, no statement on the replica delays replay.
  primary = await startOwnPostgres({ settings: { max_standby_streaming_delay: '0' } })
  replica = await primary.startStandby()
  address = await startFaultProxy(replica.url)
  const client = await poolOn(primary.url).connect()
  await migrate(client)
  client.release()
  callboard = open()
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  token = await keyWith('webhooks.read')
})

afterEach(async () => {
  await address.pass()
  await Promise.all(pools.map((pool) => pool.end()))
  pools = []
  await address.stop()
  for (const server of [...others, replica, primary]) await server.stop()
  others = []
})

describe('a replica', () => {
  it('reads pages of events without personal data, and the primary reads pages with personal data', async () => {
    const [first, second] = [await publish(), await publish()]
    const privileged = await keyWith('webhooks.read', 'people.read')
    const facade = await openOnReplica()
    await pauseReplay()
    const third = await publish()
    for (const search of ['', '?type=order.paid']) {
      expect(await read(facade, token, search)).toEqual([second, first])
      expect(await read(facade, privileged, search)).toEqual([third, second, first])
    }
    expect(await facade.events.page({ accountId: 'acc' })).toMatchObject({ data: [{ id: second }, { id: first }] })
    expect(await facade.events.find({ accountId: 'acc', id: third })).toMatchObject({ id: third })
  })

  it('reads pages even if the platform has its own rate limiter', async () => {
    const facade = open({ readerUrl: replica.url, limits: createPostgresRateLimiter({ pool: poolOn(primary.url) }) })
    await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
  })

  it('never shows personal data that was erased', async () => {
    await publish()
    const privileged = await keyWith('webhooks.read', 'people.read')
    const facade = await openOnReplica()
    await pauseReplay()
    await facade.erasure.person({ accountId: 'acc', personId: 'per_1' })
    expect(JSON.stringify(await get(facade, '/v1/events', privileged))).not.toContain('ada@example.com')
    expect(JSON.stringify(await facade.events.page({ accountId: 'acc', personalData: true }))).not.toContain('Ada')
  })

  it('never hides a change that was just made', async () => {
    const [first, second, third] = [await publish(), await publish(), await publish()]
    const owner = { accountId: 'acc', mode: 'live' } as const
    const input = { targetUrl: 'https://127.0.0.1:1/hook', eventTypes: ['order.paid'], description: null }
    const early = await callboard.subscriptions.create({ ...owner, ...input })
    await engineOf(callboard).store.deliveries.sequence(10)
    const facade = await openOnReplica()
    await pauseReplay()
    const subscription = await facade.subscriptions.create({ ...owner, ...input, targetUrl: `${input.targetUrl}/2` })
    const ref = { ...owner, id: subscription.id }
    expect(await facade.subscriptions.find(ref)).toMatchObject({ id: subscription.id })
    expect(await facade.subscriptions.list(owner)).toMatchObject([{ id: subscription.id }, { id: early.id }])
    for (const id of [first, second, third])
      await facade.deliveries.resend({ ...owner, subscriptionId: early.id, eventId: id })
    const newest = await facade.deliveries.list({ ...owner, subscriptionId: early.id, limit: 1 })
    expect(newest.deliveries).toMatchObject([{ eventId: third, state: 'pending' }])
    // The next page comes from the replica, which has not replayed the resends yet.
    const older = await facade.deliveries.list({ ...owner, subscriptionId: early.id, cursor: newest.nextCursor })
    expect(older.deliveries).toEqual([])
  })

  it('shows the feed without gaps and repeats while it is behind, and never from behind a cursor', async () => {
    const facade = await openOnReplica()
    const { nextCursor: start } = await readFeed(facade)
    const early = [await publish(), await publish(), await publish()]
    await sequence()
    await replayed()
    await pauseReplay()
    const late = [await publish(), await publish()]
    await sequence()

    const before = asked
    const first = await readFeed(facade, start, 2)
    const second = await readFeed(facade, first.nextCursor)
    expect([first.ids, second.ids]).toEqual([early.slice(0, 2), early.slice(2)])
    expect(asked).toBe(before + 2)
    // The replica has nothing of what follows.
    const third = await readFeed(facade, second.nextCursor)
    expect(third.ids).toEqual(late)
    const calls = asked
    expect(await readFeed(facade, third.nextCursor)).toEqual({ ...third, ids: [] })
    expect(asked).toBe(calls)
    const privileged = await keyWith('webhooks.read', 'people.read')
    expect((await readFeed(facade, start, 100, privileged)).ids).toEqual([...early, ...late])
  })

  it('is not waited for while it is too far behind, and is used again once it has caught up', async () => {
    await publish()
    const facade = await openOnReplica({ maxLagMs: MAX_LAG_MS })
    await pauseReplay()
    const id = await publish()
    await expect.poll(() => read(facade), WITHIN).toContain(id)
    await expect
      .poll(() => finding(facade), WITHIN)
      .toMatchObject({
        verdict: 'warning',
        message: expect.stringMatching(/^it is \d+ ms behind, more than maxLagMs allows \(1000\)/),
      })
    expect(await gauges(facade)).toMatchObject({ lagMs: expect.any(Number), usable: false })
    await query(replica.url, 'select pg_wal_replay_resume()')
    await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
    await expect.poll(() => finding(facade), WITHIN).toEqual(UP_TO_DATE)
    await expect.poll(() => gauges(facade), WITHIN).toEqual({ lagMs: 0, usable: true })
  })

  it('that is up to date is used however long the primary has been idle', async () => {
    const facade = await openOnReplica({ maxLagMs: 300 })
    await query(primary.url, 'checkpoint')
    const start = performance.now()
    while (performance.now() - start < 2_000) {
      await delay(50)
      await read(facade)
    }
    expect(await isUsed(facade)).toBe(true)
    expect(await finding(facade)).toEqual(UP_TO_DATE)
  })

  it('is not asked for the first page after a pause, so that a rare read needs only one round trip', async () => {
    const facade = await openOnReplica({ maxLagMs: 300 })
    const before = asked
    await delay(400)
    await read(facade)
    expect(asked).toBe(before)
  })

  it('is not used without the option', async () => {
    expect(await isUsed(callboard)).toBe(false)
    expect(await gauges(callboard)).toBeUndefined()
    expect(await finding(callboard)).toBeUndefined()
  })
})

describe('the primary reads every page', () => {
  it('while the replica refuses connections', async () => {
    const facade = await openOnReplica()
    await address.refuse()
    const id = await publish()
    expect(await read(facade)).toEqual([id])
    expect(await finding(facade)).toMatchObject(unused('it cannot be read'))
    expect(await gauges(facade)).toEqual({ lagMs: undefined, usable: false })
    await address.pass()
    await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
  })

  it('while the replica is down, until it has started', async () => {
    await replayed()
    await replica.crash()
    const facade = open({ readerUrl: replica.url })
    const id = await publish()
    expect(await read(facade)).toEqual([id])
    await replica.start()
    await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
  })

  it('while the replica is silent, and only one call waits for the replica', async () => {
    const facade = await openOnReplica()
    const id = await publish()
    const { accepted } = address
    address.swallow()
    for (let reads = 0; reads < 20; reads++) expect(await read(facade)).toEqual([id])
    expect(address.accepted).toBe(accepted)
    await address.pass()
    await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
  })

  it('whose statement the replica cancels because the statement conflicts with replay', async () => {
    const id = await publish()
    const facade = await openOnReplica()
    await onReplicaOnly('perform pg_sleep(5)')
    const reading = read(facade)
    const asleep = `select pid from pg_stat_activity where wait_event = 'PgSleep'`
    await expect.poll(() => query(replica.url, asleep), WITHIN).toHaveLength(1)
    await query(primary.url, 'begin; lock table callboard.events in access exclusive mode; commit')
    const conflicts = 'select confl_lock > 0 as some from pg_stat_database_conflicts where datname = current_database()'
    await expect.poll(() => query(replica.url, conflicts), WITHIN).toEqual([{ some: true }])
    expect(await reading).toEqual([id])
  })

  it.each([
    ['conflicts with replay, but the replica is asked again at once', '40001', true],
    ['fails on the replica, which is then not asked for a while', 'XX000', false],
  ])('whose statement %s', async (_name, state, isAskedAgain) => {
    const id = await publish()
    const facade = await openOnReplica()
    await onReplicaOnly(`raise exception using errcode = '${state}'`)
    expect(await read(facade)).toEqual([id])
    const before = asked
    expect(await read(facade)).toEqual([id])
    expect(asked > before).toBe(isAskedAgain)
  })

  it('once the replica was promoted', async () => {
    const facade = await openOnReplica()
    await replica.promote()
    await publish(open({ url: replica.url }))
    const id = await publish()
    expect(await read(facade)).toEqual([id])
    expect(await isUsed(facade)).toBe(false)
    expect(await finding(facade)).toMatchObject(
      unused('the option reader leads to a server that accepts writes and is not the primary'),
    )
  })

  it('while the replica follows another primary, even if that primary is ahead', async () => {
    const lost = await primary.startStandby()
    others = [lost]
    await replica.promote()
    await callboard.publishMany(Array.from({ length: 100 }, () => orderPaidEvent()))
    await replayed(lost, primary)
    const facade = open({ url: replica.url, readerUrl: lost.url, maxLagMs: FOR_EVER_MS })
    const id = await publish(facade)
    do {
      expect(await read(facade)).toEqual([id])
      // Stays within the rate limits.
      await delay(50)
    } while (asked === 0)
    expect(await isUsed(facade)).toBe(false)
    expect(await finding(facade)).toMatchObject(
      unused('it is not on the timeline of the primary, or this role does not see that it is'),
    )
  })

  it('while the option reader points to another database, and no worker starts', async () => {
    const other = new URL(primary.url)
    other.pathname = '/other'
    await query(primary.url, 'create database other')
    const client = await poolOn(other.href).connect()
    await migrate(client)
    client.release()
    const stranger = await startOwnPostgres()
    others = [stranger]
    const id = await publish()
    for (const readerUrl of [other.href, stranger.url]) {
      const facade = open({ readerUrl })
      expect(await read(facade)).toEqual([id])
      await expect(startWorker(facade)).rejects.toMatchObject({
        code: 'CONFIGURATION_INVALID',
        message: expect.stringContaining('reader'),
      })
      expect(await finding(facade)).toMatchObject({
        verdict: 'problem',
        message: 'the option reader leads to another database than pool; no page is read from it',
      })
      expect(await facade.health()).toMatchObject({ ok: false, problem: expect.stringContaining('reader') })
    }
  })
})

describe('after a failover', () => {
  const failOver = async (): Promise<ReplicablePostgres> => {
    const next = await replica.startStandby()
    others = [next]
    await replayed(next)
    await primary.crash()
    await replica.promote()
    await expect
      .poll(() => query(next.url, 'select received_tli from pg_stat_wal_receiver'), WITHIN)
      .toEqual([{ received_tli: 2 }])
    return next
  }

  it('tells a reader of the feed that events may be missing, and shows what the new primary has instead', async () => {
    const { nextCursor: start } = await readFeed(callboard)
    const kept = await publish()
    await sequence()
    await replayed()
    await replica.shutDown()
    await publish()
    await sequence()
    const { nextCursor } = await readFeed(callboard, start)
    await primary.crash()
    await replica.start()
    await replica.promote()
    const promoted = open({ url: replica.url })
    const fresh = [await publish(promoted), await publish(promoted)]
    await sequence(promoted)
    const page = await readFeed(promoted, nextCursor)
    expect(page).toMatchObject({ ids: [kept, ...fresh], truncated: true })
    expect(await readFeed(promoted, page.nextCursor)).toMatchObject({ ids: [], truncated: false })
  })

  it('the same process uses a replica that follows the new primary', async () => {
    // After the failover, both proxies point to other servers.
    const first = await startFaultProxy(primary.url)
    const facade = open({ url: first.through(primary.url), readerUrl: address.through(replica.url) })
    await publish()
    await replayed()
    await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
    expect(await finding(facade)).toEqual(UP_TO_DATE)
    const next = await failOver()
    for (const [proxy, url] of [[first, replica.url] as const, [address, next.url] as const]) {
      proxy.lead(url)
      proxy.reset()
    }
    await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
    await first.stop()
  })

  it('a role that cannot see the replication status uses the replica after the next restartpoint there', async () => {
    await query(
      primary.url,
      `create role plain login password 'plain'; ${grantsSql({ publisher: 'plain', api: 'plain', worker: 'plain' })}`,
    )
    await replayed()
    const next = await failOver()
    const asPlain = (url: string): string => url.replace('postgres:postgres@', 'plain:plain@')
    const facade = open({ url: asPlain(replica.url), readerUrl: asPlain(next.url), maxLagMs: FOR_EVER_MS })
    expect(await gauges(facade)).toEqual({ lagMs: undefined, usable: false })
    await query(replica.url, 'checkpoint')
    await replayed(next, replica)
    await query(next.url, 'checkpoint')
    await expect.poll(() => finding(facade), WITHIN).toEqual(UP_TO_DATE)
    await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
  })

  it('a reader whose address points to the new primary itself is used', async () => {
    await failOver()
    const facade = open({ url: replica.url, readerUrl: replica.url })
    const id = await publish(facade)
    await expect.poll(() => isUsed(facade), WITHIN).toBe(true)
    expect(await read(facade)).toEqual([id])
    expect(await finding(facade)).toMatchObject({ message: 'the option reader leads to the primary itself' })
    expect(await gauges(facade)).toEqual({ lagMs: undefined, usable: true })
  })
})
