import { setTimeout as delay } from 'node:timers/promises'
import { createCallboard, createId, type SubscriptionWithSecret } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { type Caller, uuidFromId } from '@callboard/core/store'
import { createRouter } from '@callboard/router'
import { createPostgresStore, migrate, type PostgresStoreOptions } from '@callboard/store-postgres'
import {
  type FaultProxy,
  type LoggedRequest,
  type OwnPostgres,
  type OwnPostgresOptions,
  type ReceiverProcess,
  startFaultProxy,
  startOwnPostgres,
  startReceiverProcess,
} from '@callboard/testbed'
import { Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, describe, type TestAPI, test } from 'vitest'
import { issueKey, newCaller, type OrderPaid, orderPaidEvent } from '../arrange.ts'
import { RING, type SampleCallboard } from '../on-each-store.ts'
import { type SampleCatalog, catalog as today } from '../sample-catalog.ts'
import { startWorkerChild, type WorkerChild, type WorkerChildOptions } from '../worker-child.ts'
import { type Bounds, expectInvariants, type Ledger, quiet } from './invariants.ts'

/** A platform in this process, with workers and a receiver in others, on a database that belongs to one test. */
export interface FaultWorld {
  readonly server: OwnPostgres
  /** The proxy through which workers, and the facades that `open` creates, reach the database. */
  readonly proxy: FaultProxy
  readonly receiver: ReceiverProcess
  /** The URL of the database itself, not of the proxy. */
  readonly url: string
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  /** Moves forward the clock that all SQL reads. */
  advance(ms: number): Promise<void>
  /** Creates a facade whose pool connects through the proxy. The account `acc` exists. */
  open(options?: OpenOptions): { readonly callboard: SampleCallboard; readonly pool: Pool }
  /** A facade that bypasses the proxy, for setting up a test. */
  readonly callboard: SampleCallboard
  /** The response of `GET /v1/me` to a key of `acc`. */
  me(callboard: SampleCallboard): Promise<Response>
  /** Creates a subscription to `order.paid`, by default of `acc` and at a new path. */
  subscribe(path?: string, accountId?: string): Promise<SubscriptionWithSecret & { readonly path: string }>
  /** Inserts this many subscriptions as rows, which is faster than creating them and ignores the account's limit. */
  subscribeMany(count: number): Promise<void>
  /** Publishes one `order.paid` event, or `count` of them, bypassing the proxy, and returns their ids. */
  publish(count?: number, overrides?: Partial<OrderPaid>): Promise<string[]>
  /** Starts a worker in a separate process that connects through the proxy. Resolves once it takes work. */
  work(options?: Omit<Partial<WorkerChildOptions>, 'k1'>): Promise<WorkerChild>
  /** The requests that the targets of this world's subscriptions have received so far. */
  log(): Promise<LoggedRequest[]>
  /** Resolves once no delivery is left to send or settle. */
  quiet(timeoutMs?: number): Promise<void>
  /** Checks the invariants. */
  invariants(bounds?: Bounds): Promise<Ledger>
}

export interface OpenOptions {
  readonly pool?: PoolConfig | undefined
  readonly store?: Omit<PostgresStoreOptions, 'pool' | 'pglite'> | undefined
  readonly onError?: ((error: unknown) => void) | undefined
  readonly catalog?: SampleCatalog | undefined
  /** The clock that the facade reads outside SQL; `Date.now` by default. */
  readonly now?: (() => number) | undefined
}

/** Runs one group of tests of the fault matrix, with a Postgres and a receiver of its own. */
export function describeFaults(
  title: string,
  suite: (it: TestAPI<{ readonly world: FaultWorld }>) => void,
  options: OwnPostgresOptions & { readonly start?: (() => Promise<OwnPostgres>) | undefined } = {},
): void {
  describe(title, () => {
    let server: OwnPostgres
    let receiver: ReceiverProcess
    beforeAll(async () => {
      server = await (options.start ?? (() => startOwnPostgres(options)))()
      receiver = await startReceiverProcess()
    })
    afterAll(async () => {
      await receiver?.stop()
      await server?.stop()
    })
    suite(
      test.extend<{ world: FaultWorld }>({
        world: async ({ task: _task }: object & { task?: unknown }, use: (world: FaultWorld) => Promise<void>) => {
          const { world, cleanup } = await createWorld(server, receiver)
          try {
            await use(world)
          } finally {
            await cleanup()
          }
        },
      }),
    )
  })
}

const SCHEMA = 'callboard'
let databases = 0
let paths = 0

async function createWorld(
  server: OwnPostgres,
  receiver: ReceiverProcess,
): Promise<{ world: FaultWorld; cleanup(): Promise<void> }> {
  const url = await createDatabase(server)
  const proxy = await startFaultProxy(url)
  const pools: Pool[] = []
  const workers: WorkerChild[] = []
  const secrets = new Map<string, string[]>()
  const callers = new Map<string, Promise<Caller>>()
  const poolOf = (options: PoolConfig): Pool => {
    const pool = new Pool(options)
    pools.push(pool)
    return pool
  }
  const facadeOn = (
    pool: Pool,
    { store, onError = () => undefined, now, catalog = today }: OpenOptions,
  ): SampleCallboard =>
    createCallboard({
      catalog,
      store: createPostgresStore({ pool, ...store }),
      secretKeys: { current: 'k1', keys: { k1: RING.k1 } },
      targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
      maxNewSubscriptionsPerMinute: 10_000,
      maxChangesPerMinute: 10_000,
      onError,
      now,
    })
  const direct = poolOf({ connectionString: url, max: 4 })
  const client = await direct.connect()
  await migrate(client)
  client.release()
  const callboard = facadeOn(direct, {})
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  const { token } = await issueKey(callboard)
  const query: FaultWorld['query'] = (text, values) => direct.query(text, values)
  let moved = 0

  const world: FaultWorld = {
    server,
    proxy,
    receiver,
    url,
    query,
    // The new function must have the same language as the old one: a concurrent call may run the new text in the old
    // language.
    async advance(ms) {
      moved += ms
      await query(
        `create or replace function ${SCHEMA}.clock() returns timestamptz language plpgsql stable as $$ begin return clock_timestamp() + interval '${moved} ms'; end $$`,
      )
    },
    callboard,
    open(options = {}) {
      const pool = poolOf({ connectionString: proxy.through(url), max: 5, ...options.pool })
      return { callboard: facadeOn(pool, options), pool }
    },
    me: (facade) =>
      createRouter(facade).fetch(
        new Request('https://example.com/v1/me', { headers: { authorization: `Bearer ${token}` } }),
      ),
    async subscribe(path = `/${++paths}`, accountId = 'acc') {
      // One key for all subscriptions of an account, because a test may create more subscriptions than an account may
      // have keys.
      const caller =
        callers.get(accountId) ??
        newCaller(callboard, { accountId, scopes: ['webhooks.read', 'webhooks.write', 'people.read'] })
      callers.set(accountId, caller)
      const subscription = await engineOf(callboard).apiSubscriptions.create(await caller, {
        targetUrl: receiver.url(path),
        eventTypes: ['order.paid'],
        integration: 'zapier',
      })
      secrets.set(path, [subscription.secret])
      return { ...subscription, path }
    },
    async subscribeMany(count) {
      const model = await world.subscribe()
      const many = await Promise.all(
        Array.from({ length: count - 1 }, async () => {
          const [id, path] = [createId('sub'), `/${++paths}`]
          secrets.set(path, [model.secret])
          return { id: uuidFromId('sub', id), path, sealed: await engineOf(callboard).secretBox.seal(id, model.secret) }
        }),
      )
      const columns = [
        uuidFromId('sub', model.id),
        many.map(({ id }) => id),
        many.map(({ path }) => receiver.url(path)),
        many.map(({ sealed }) => sealed),
      ]
      await query(COPY_SUBSCRIPTION, columns)
    },
    async publish(count = 1, overrides) {
      const events = await callboard.publishMany(Array.from({ length: count }, () => orderPaidEvent(overrides)))
      return events.map(({ id }) => id)
    },
    async work(options) {
      const worker = startWorkerChild({ url: proxy.through(url), schema: SCHEMA, ca: receiver.ca, ...options })
      workers.push(worker)
      await worker.started
      return worker
    },
    quiet: (timeoutMs) => quiet({ query }, timeoutMs),
    log: async () => (await receiver.log()).filter(({ path }) => secrets.has(path)),
    async invariants(bounds) {
      // Workers sign by the database's clock, which `advance` has moved.
      const toleranceS = 300 + moved / 1_000
      return expectInvariants({ query, received: await world.log(), secrets }, { toleranceS, ...bounds })
    },
  }
  return {
    world,
    async cleanup() {
      await Promise.all(workers.map((worker) => worker.kill()))
      // Resets silenced connections first, because ending the pools would wait for them.
      await proxy.pass()
      await endPools(pools)
      await proxy.stop()
    },
  }
}

/** Ends the pools. Fails after 30 s, because an unreleased connection of a failed test would block this for ever. */
async function endPools(pools: readonly Pool[]): Promise<void> {
  const late = new AbortController()
  await Promise.race([
    Promise.all(pools.map((pool) => pool.end())),
    delay(30_000, undefined, { signal: late.signal }).then(() => {
      throw new Error('A connection was not released to its pool.')
    }),
  ])
  late.abort()
}

/** Creates copies of one subscription. Each has its own target, and the original's secret, sealed for the copy's id. */
const COPY_SUBSCRIPTION = `
with many as (select * from unnest($2::uuid[], $3::text[], $4::text[]) as n(id, url, secret)),
copied as (
  insert into callboard.subscriptions (account_id, mode, id, source, target_url, event_types, integration, api_version, secret, confirmed_by)
  select s.account_id, s.mode, n.id, s.source, n.url, s.event_types, s.integration, s.api_version, n.secret, s.confirmed_by
  from callboard.subscriptions s, many n where s.id = $1::uuid
),
typed as (
  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select t.account_id, t.mode, t.type, n.id from callboard.subscription_types t, many n where t.subscription_id = $1::uuid
)
insert into callboard.lanes
  (account_id, mode, subscription_id, host, start, settled_through, head, began, since, since_at, start_since, start_since_at)
select l.account_id, l.mode, n.id, l.host, l.start, l.settled_through, l.head, l.began, l.since, l.since_at, l.start_since,
  l.start_since_at
from callboard.lanes l, many n where l.subscription_id = $1::uuid`

async function createDatabase(server: OwnPostgres): Promise<string> {
  const name = `callboard_${++databases}`
  const admin = new Pool({ connectionString: server.url, max: 1 })
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return url.href
}
