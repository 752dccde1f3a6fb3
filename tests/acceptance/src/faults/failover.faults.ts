import { setTimeout as delay } from 'node:timers/promises'
import { engineOf } from '@callboard/core/engine'
import { type PostgresCluster, startPostgresCluster } from '@callboard/testbed'
import type { Pool } from 'pg'
import { expect } from 'vitest'
import { orderPaidEvent } from '../arrange.ts'
import type { SampleCallboard } from '../on-each-store.ts'
import type { WorkerChild } from '../worker-child.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

const PUBLISHERS = 5
/** How long a test publishes before the fault and after it, and how long a fault lasts. `test:failovers` sets it. */
const WHILE_MS = Number(process.env['FAILOVER_MS'] ?? 2_000)

interface Publishing {
  /** How many orders were paid so far. An order is paid once the commit of the order and its event is acknowledged. */
  paid(): number
  /** The longest time between two acknowledgements, in milliseconds. */
  longestPauseMs(): number
  /** Resolves with the acknowledged orders. */
  stop(): Promise<string[]>
}

/**
 * Publishes as platforms do: inserts an order and publishes its event in one transaction. After an error, it repeats
 * the transaction with the same idempotency key, because the commit may or may not have succeeded.
 */
function publish(callboard: SampleCallboard, pool: Pool): Publishing {
  const paid: string[] = []
  let stopped = false
  let last = performance.now()
  let longest = 0
  const pay = async (order: string, publisher: number): Promise<void> => {
    const client = await pool.connect()
    let lost: unknown
    const onError = (error: unknown): void => {
      lost = error
    }
    client.on('error', onError)
    try {
      await client.query('begin')
      await client.query('insert into orders (id) values ($1) on conflict do nothing', [order])
      const subject = { type: 'order', id: `publisher-${publisher}` }
      await callboard.publish(orderPaidEvent({ subject, idempotencyKey: order }), { tx: client })
      await client.query('commit')
    } catch (error) {
      lost = error
      throw error
    } finally {
      client.removeListener('error', onError)
      client.release(lost !== undefined)
    }
  }
  const run = async (publisher: number): Promise<void> => {
    for (let number = 1; !stopped; number++) {
      const order = `${publisher}-${number}`
      for (let done = false; !done; ) {
        done = await pay(order, publisher).then(
          () => true,
          () => delay(50).then(() => false),
        )
      }
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
      paid.push(order)
    }
  }
  const running = Array.from({ length: PUBLISHERS }, (_, publisher) => run(publisher))
  return {
    paid: () => paid.length,
    longestPauseMs: () => Math.round(longest),
    async stop() {
      stopped = true
      await Promise.all(running)
      return paid
    },
  }
}

/** Publishes and delivers in order while the fault happens, and checks that nothing is lost. */
async function survive(world: FaultWorld, fault: () => Promise<void>): Promise<void> {
  await world.query('create table orders (id text primary key)')
  const { path, ...ref } = await world.subscribe()
  await world.callboard.subscriptions.setOrdering({ ...ref, ordering: 'subject' })
  const workers: WorkerChild[] = await Promise.all([world.work(), world.work()])
  const { callboard, pool } = world.open({ pool: { connectionTimeoutMillis: 2_000, query_timeout: 5_000 } })
  const publishing = publish(callboard, pool)
  const asked = { ok: 0, unavailable: 0 }
  let asking = true
  const reading = (async () => {
    for (; asking; await delay(50)) {
      const { status } = await world.me(callboard)
      expect([200, 503]).toContain(status)
      asked[status === 200 ? 'ok' : 'unavailable']++
    }
  })()

  await delay(WHILE_MS)
  const before = publishing.paid()
  expect(before).toBeGreaterThan(0)
  const struckAt = performance.now()
  await fault()
  await expect.poll(() => publishing.paid(), { timeout: 60_000 }).toBeGreaterThan(before + 10 * PUBLISHERS)
  const publishedMs = Math.round(performance.now() - struckAt)
  await delay(WHILE_MS)
  const orders = await publishing.stop()
  asking = false
  await reading
  const stoppedAt = performance.now()
  await world.quiet(60_000 + 5 * WHILE_MS)
  const quietMs = Math.round(performance.now() - stoppedAt)

  const { rows } = await world.query('select idempotency_key from callboard.events')
  const stored = new Set(rows.map((row) => row['idempotency_key']))
  expect(orders.filter((order) => !stored.has(order))).toEqual([])
  expect(Number((await world.query('select count(*)::int as n from orders')).rows[0]?.['n'])).toBe(stored.size)
  for (const worker of workers) {
    expect((await worker.look()).health.ok).toBe(true)
    expect(new Set([...worker.errors, 'UNAVAILABLE'])).toEqual(new Set(['UNAVAILABLE']))
  }
  const ledger = await world.invariants({ survivors: workers, unsettled: 500, crashes: 1 })
  expect(ledger).toMatchObject({ owed: stored.size, delivered: stored.size, lost: 0 })
  expectOrder((await world.receiver.log(path)).map(({ body }) => body))
  const times = { publishedMs, quietMs, longestPauseMs: publishing.longestPauseMs() }
  process.stdout.write(`failover: ${JSON.stringify({ ...ledger, ...asked, ...times })}\n`)
}

/** Expects the first requests for the events of a subject to come in the order of the events' sequences. */
function expectOrder(bodies: readonly string[]): void {
  const last = new Map<string, number>()
  for (const body of bodies) {
    const { subject }: { subject: { id: string; sequence: number } } = JSON.parse(body)
    const before = last.get(subject.id) ?? 0
    expect(subject.sequence).toBeLessThanOrEqual(before + 1)
    last.set(subject.id, Math.max(before, subject.sequence))
  }
}

let cluster: PostgresCluster
const start = async (): Promise<PostgresCluster> => {
  cluster = await startPostgresCluster()
  return cluster
}

describeFaults(
  'a primary that is killed',
  (it) => {
    it('loses no acknowledged event, and the platform and the workers need no restart', async ({ world }) => {
      await survive(world, async () => {
        await cluster.primary.crash()
        await cluster.failOver()
      })
    })
  },
  { start },
)

describeFaults(
  'a primary that freezes and thaws',
  (it) => {
    it('loses no acknowledged event, even if it executes statements after it thaws', async ({ world }) => {
      await survive(world, async () => {
        await cluster.primary.freeze()
        await cluster.failOver()
        await delay(WHILE_MS)
        await cluster.primary.thaw()
      })
    })
  },
  { start },
)

describeFaults(
  'a switchover',
  (it) => {
    it('loses no event', async ({ world }) => {
      await survive(world, async () => {
        await cluster.primary.shutDown()
        await cluster.failOver()
      })
    })
  },
  { start },
)

describeFaults(
  'connections to a read-only standby',
  (it) => {
    it('are replaced by connections to the primary, once the address leads there again', async ({ world }) => {
      await survive(world, async () => {
        cluster.address.lead(cluster.standby.url)
        cluster.address.reset()
        await delay(WHILE_MS)
        // The connections to the standby stay open.
        cluster.address.lead(cluster.primary.url)
      })
    })
  },
  { start },
)

describeFaults(
  'a lease whose answer is lost in a failover',
  (it) => {
    it('ends at once', async ({ world }) => {
      const { path } = await world.subscribe()
      await world.publish()
      await engineOf(world.callboard).store.deliveries.sequence(1)
      // Without prepared statements, the answer names its columns, which the proxy can recognise.
      const cut = world.proxy.cutWhen('server', (bytes) => bytes.includes('fingerprints'))
      const worker = await world.work({
        store: { prepare: false },
        worker: { deadlineMs: 30_000, leaseMs: 3_600_000 },
      })
      await cut
      await cluster.primary.crash()
      await cluster.failOver()
      await world.receiver.received(path)
      await world.quiet()
      expect(await world.invariants({ survivors: [worker] })).toMatchObject({ delivered: 1, repeated: 0 })
    })
  },
  { start },
)

describeFaults(
  'a worker',
  (it) => {
    it('that is started while there is no primary waits for one', async ({ world }) => {
      const { path } = await world.subscribe()
      await world.publish()
      await cluster.primary.crash()
      const starting = world.work()
      await expect.poll(async () => (await world.me(world.open().callboard)).status, { timeout: 10_000 }).toBe(503)
      await cluster.failOver()
      const worker = await starting
      await world.receiver.received(path)
      await world.quiet()
      expect(await world.invariants({ survivors: [worker] })).toMatchObject({ delivered: 1 })
    })
  },
  { start },
)
