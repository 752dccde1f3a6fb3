import { FAILING_RULE } from '@callboard/core/store'
import { createSubscription, leaseDue } from '@callboard/store-conformance'
import { type OwnPostgres, startOwnPostgres } from '@callboard/testbed'
import { Client, Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { eventDraft, newSubscription, settled } from '../../testing/inputs.ts'
import { migratedStore } from '../../testing/migrated-store.ts'
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts'

const LEASE_MS = 3_600_000

let server: OwnPostgres
let pool: Pool
let store: PostgresStore

/** A client that does not notice the end of its connection, as behind a network that loses packets. */
class UnawareClient extends Client {
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    return event !== 'end' && event !== 'error' && super.emit(event, ...values)
  }
}

/** A client that sends only so many more statements, because its process has died. */
let statementsLeft = Number.POSITIVE_INFINITY
class DyingClient extends UnawareClient {
  override query(...query: unknown[]): never {
    if (statementsLeft-- < 1) throw new Error('The process has died.')
    return Reflect.apply(super.query, this, query) as never
  }
}

/** A client that gets no notices. */
class DeafClient extends Client {
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    return event !== 'notification' && super.emit(event, ...values)
  }
}

const openPool = (options: PoolConfig = {}): Pool => {
  const opened = new Pool({ connectionString: server.url, ...options })
  opened.on('error', () => undefined)
  return opened
}

beforeAll(async () => {
  server = await startOwnPostgres()
})
beforeEach(async () => {
  pool = openPool()
  await pool.query('drop schema if exists callboard cascade')
  store = await migratedStore(pool)
  await createSubscription(store, newSubscription())
  await store.events.publishDrafts([eventDraft()])
  await store.deliveries.sequence(10)
  return () => pool.end()
})
afterAll(() => server.stop())

const nothing = () => undefined

/** A worker as if in another process: it has a store and connections of its own. */
async function worker(
  id: string,
  {
    notify = true,
    onWorkers = nothing,
    ...options
  }: PoolConfig & { readonly notify?: boolean; readonly onWorkers?: () => void } = {},
) {
  const own = openPool(options)
  const itsStore = createPostgresStore({ pool: own, notify })
  const { deliveries } = itsStore
  const { stop } = deliveries.listenForWork(id, { onPublished: nothing, onDue: nothing, onWorkers })
  onTestFinished(async () => {
    stop()
    await own.end()
  })
  const attend = async () => (await deliveries.attend({ id, name: id, details: undefined })).takenOver
  await attend()
  const locked = async () => {
    await attend()
    return sessionOf(id)
  }
  if (notify) await expect.poll(locked, { interval: 5 }).not.toBeNull()
  return {
    attend,
    lease: () => leaseDue(itsStore, { worker: id, leaseMs: LEASE_MS }),
    settle: (lanes: Awaited<ReturnType<typeof deliveries.lease>>) =>
      deliveries.settle(lanes.map(settled), FAILING_RULE),
    /** Ends the connection that holds the lock, without telling the store, as the end of the process would. */
    die: stop,
  }
}

async function sessionOf(id: string): Promise<string | null> {
  const { rows } = await pool.query('select session::text as session from callboard.workers where id = $1', [id])
  return rows[0]?.session
}

/** Makes every worker look as if it had not attended for an hour. */
async function age(): Promise<void> {
  await pool.query(`update callboard.workers set beat_at = beat_at - interval '1 hour'`)
}

/** Makes the server end the connection that holds a worker's lock. */
async function endConnection(id: string): Promise<void> {
  const { rows } = await pool.query(
    `select pg_terminate_backend(pid) as ended from pg_locks
    where locktype = 'advisory' and granted and (classid::bigint << 32) | objid::bigint = $1`,
    [await sessionOf(id)],
  )
  expect(rows).toEqual([{ ended: true }])
}

/** Resolves once nobody holds the lock of a worker. */
async function lockFree(id: string): Promise<void> {
  const session = await sessionOf(id)
  const isFree = async () => (await pool.query('select pg_try_advisory_xact_lock($1) as free', [session])).rows[0].free
  await expect.poll(isFree, { interval: 5 }).toBe(true)
}

describe('a worker whose process has ended', () => {
  it('loses its lanes when another worker finds it missing again, half a second after the first time', async () => {
    const [dead, next] = [await worker('dead'), await worker('next')]
    const lost = await dead.lease()
    dead.die()
    await lockFree('dead')
    const seenAt = performance.now()
    expect(await next.attend()).toEqual([])
    expect(await next.lease()).toEqual([])
    await expect.poll(next.attend, { interval: 25 }).toEqual(['dead'])
    expect(performance.now() - seenAt).toBeGreaterThanOrEqual(500)
    expect(await next.lease()).toHaveLength(1)
    expect((await dead.settle(lost)).fenced).toHaveLength(1)
  })

  it('loses its lanes as soon if the server runs its last statement after it has freed its lock', async () => {
    const [dead, next] = [await worker('dead', { Client: DyingClient }), await worker('next')]
    await dead.lease()
    await endConnection('dead')
    await lockFree('dead')
    const seenAt = performance.now()
    expect(await next.attend()).toEqual([])
    statementsLeft = 1
    onTestFinished(() => {
      statementsLeft = Number.POSITIVE_INFINITY
    })
    dead.attend().catch(() => undefined)
    await expect.poll(() => statementsLeft).toBeLessThan(1)
    await expect.poll(next.attend, { interval: 25, timeout: 20_000 }).toEqual(['dead'])
    expect(performance.now() - seenAt).toBeLessThan(3_000)
  })

  it('is no longer listed as running five seconds after it last attended, unlike one that lives and rests', async () => {
    const [dead] = [await worker('dead'), await worker('living')]
    dead.die()
    await lockFree('dead')
    const running = async () => (await store.survey(0)).work?.workers.map(({ name }) => name)
    expect(await running()).toEqual(['dead', 'living'])
    await pool.query(`update callboard.workers set beat_at = beat_at - interval '6 s'`)
    expect(await running()).toEqual(['living'])
  })

  it('keeps a lane that is locked while another worker looks, and loses it at that worker’s next look', async () => {
    const [dead, next] = [await worker('dead', { notify: false }), await worker('next')]
    await dead.lease()
    await age()
    const client = await pool.connect()
    await client.query('begin')
    await client.query('select from callboard.lanes for update')
    const takenOver = await next.attend()
    await client.query('commit')
    client.release()
    expect(takenOver).toEqual([])
    expect(await next.attend()).toEqual(['dead'])
    expect(await next.lease()).toHaveLength(1)
  })
})

describe('a worker that lives', () => {
  it('loses nothing while it holds its lock, however long it is stalled', async () => {
    const [stalled, next] = [await worker('stalled'), await worker('next')]
    const held = await stalled.lease()
    await age()
    expect(await next.attend()).toEqual([])
    expect((await stalled.settle(held)).fenced).toEqual([])
  })

  it('loses nothing when its connection is lost, and takes another lock once it has reconnected', async () => {
    const [living, next] = [await worker('living'), await worker('next')]
    const held = await living.lease()
    const first = await sessionOf('living')
    await endConnection('living')
    const lostAt = performance.now()
    // The listener reconnects after half a second. The looks go on for longer than that.
    let session: string | null = first
    while (performance.now() - lostAt < 1_000 || session === null || session === first) {
      expect(await next.attend()).toEqual([])
      session = await sessionOf('living')
    }
    expect((await living.settle(held)).fenced).toEqual([])
  })

  it('loses nothing when its connection is lost and only the server notices', async () => {
    const [unaware, next] = [await worker('unaware', { Client: UnawareClient }), await worker('next')]
    const held = await unaware.lease()
    await endConnection('unaware')
    await lockFree('unaware')
    expect(await next.attend()).toEqual([])
    expect(await sessionOf('unaware')).not.toBeNull()
    await unaware.attend()
    expect(await sessionOf('unaware')).toBeNull()
    expect((await unaware.settle(held)).fenced).toEqual([])
  })
})

describe('a worker that waits for the end of the next one', () => {
  it('is told to attend when it can no longer wait, because its connection is lost', async () => {
    let hurried = 0
    await worker('living')
    const { attend } = await worker('waiting', { Client: DeafClient, onWorkers: () => hurried++ })
    const ended = async () => {
      await attend()
      const { rowCount } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like 'select callboard.await_lock%'`,
      )
      return rowCount
    }
    await expect.poll(ended).toBe(1)
    const before = hurried
    await expect.poll(() => hurried).toBeGreaterThan(before)
  })
})

describe('after a restart of the server', () => {
  it('a worker has five seconds to attend again, however old its row is', async () => {
    const [living, dead, next] = [await worker('living'), await worker('dead'), await worker('next')]
    const held = await living.lease()
    await createSubscription(store, newSubscription())
    await store.events.publishDrafts([eventDraft()])
    await store.deliveries.sequence(10)
    const lost = await dead.lease()
    dead.die()
    await server.crash()
    await server.start()
    await age()
    const restartedAt = performance.now()
    expect(await next.attend()).toEqual([])
    await expect.poll(next.attend, { interval: 100, timeout: 20_000 }).toEqual(['dead'])
    expect(performance.now() - restartedAt).toBeGreaterThanOrEqual(5_000)
    expect((await living.settle(held)).fenced).toEqual([])
    expect((await dead.settle(lost)).fenced).toHaveLength(1)
    // The restart may have been the cause, so the lease does not count as one that was not settled.
    expect((await pool.query('select claims from callboard.lanes')).rows).toEqual([{ claims: 0 }, { claims: 0 }])
  })
})
