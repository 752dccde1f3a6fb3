import type { Pool } from 'pg'
import { expect } from 'vitest'
import { orderPaidEvent, thrownBy } from '../arrange.ts'
import { describeFaults } from './fault-world.ts'

const UNAVAILABLE = { code: 'UNAVAILABLE', retryAfter: 1 }

/**
 * Makes a pool open this many connections. Concurrent requests would open fewer, because they share connections.
 */
async function connect(pool: Pool, count: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()))
  for (const client of clients) client.release()
}

describeFaults('a database that does not answer', (it) => {
  it('F12: connections go silent without a FIN; calls time out, leases expire, and every event arrives', async ({
    world,
  }) => {
    const { path } = await world.subscribe()
    const options = { pool: { connectionTimeoutMillis: 2_000 }, store: { queryTimeoutMs: 2_000 } }
    const { callboard, pool } = world.open(options)
    const cutOff = await world.work({ ...options, strikes: [{ at: 'after response', does: 'hold' }] })
    const [first] = await world.publish()
    expect(await cutOff.reached('after response')).toBe(first)
    expect((await world.me(callboard)).status).toBe(200)

    // The worker has sent a delivery, and now cannot record it.
    world.proxy.swallow()
    cutOff.letGo()
    expect((await world.me(callboard)).status).toBe(503)
    expect(await thrownBy(callboard.publish(orderPaidEvent()))).toMatchObject(UNAVAILABLE)
    // The pool must not keep silent connections.
    await expect.poll(() => pool.totalCount, { timeout: 10_000 }).toBe(0)
    await expect.poll(() => cutOff.errors.length, { timeout: 20_000 }).toBeGreaterThan(1)
    expect(new Set(cutOff.errors)).toEqual(new Set(['UNAVAILABLE']))
    expect((await cutOff.look()).health.ok).toBe(false)

    // Another worker, which bypasses the proxy, takes over the deliveries.
    const other = await world.work({ url: world.url })
    await world.publish(5)
    await world.receiver.received(path, 2 + 5)
    await world.quiet()

    await world.proxy.pass()
    expect((await world.me(callboard)).status).toBe(200)
    expect(await world.invariants({ survivors: [cutOff, other], unsettled: 1, crashes: 1 })).toMatchObject({
      delivered: 6,
      repeated: 1,
    })
  })

  it('F12: existing connections go silent; each is dropped at its timeout, and new connections work', async ({
    world,
  }) => {
    const { path } = await world.subscribe()
    // The pool needs its own timeout. Without it, a connection that goes silent while it is being opened would occupy a
    // place in the pool for ever.
    const options = { pool: { connectionTimeoutMillis: 2_000 }, store: { queryTimeoutMs: 2_000 } }
    const { callboard, pool } = world.open(options)
    const worker = await world.work(options)
    await connect(pool, 3)
    const stranded = pool.totalCount
    world.proxy.strand()
    await world.publish(3)
    for (let each = 0; each < stranded; each++) expect((await world.me(callboard)).status).toBe(503)
    expect((await world.me(callboard)).status).toBe(200)
    await world.receiver.received(path, 3)
    await world.quiet()
    expect(await world.invariants({ survivors: [worker] })).toMatchObject({ delivered: 3, repeated: 0 })
  })

  it('F12: a new connection goes silent; it occupies a place in the pool only until its timeout', async ({ world }) => {
    const { callboard } = world.open({
      pool: { max: 1, connectionTimeoutMillis: 2_000 },
      store: { queryTimeoutMs: 4_000 },
    })
    world.proxy.delay(200)
    const connecting = world.me(callboard)
    await expect.poll(() => world.proxy.connections, { interval: 5 }).toBe(1)
    world.proxy.strand()
    expect((await connecting).status).toBe(503)
    world.proxy.delay(0)
    expect((await world.me(callboard)).status).toBe(200)
  })

  it('F13: each query takes 2 s; calls succeed or get 503s, nothing is sent twice, and workers catch up', async ({
    world,
  }) => {
    const { path } = await world.subscribe()
    const { callboard, pool } = world.open()
    const hasty = world.open({ store: { queryTimeoutMs: 1_000 } })
    const workers = await Promise.all([world.work(), world.work()])
    await world.publish(10)
    await world.receiver.received(path, 10)
    // Also waits until the deliveries are settled. During the delay, a settlement that has to open a connection first
    // could take longer than its lease, and the deliveries would be sent again.
    await world.quiet()
    // Connects before the delay begins, because connecting needs three answers, which would then take 6 s.
    await Promise.all([connect(pool, 2), connect(hasty.pool, 1)])
    world.proxy.delay(2_000)
    const [patient, impatient, published] = await Promise.all([
      world.me(callboard),
      world.me(hasty.callboard),
      callboard.publish(orderPaidEvent({ idempotencyKey: 'k' })),
    ])
    expect([patient.status, impatient.status]).toEqual([200, 503])
    expect(published.repeated).toBe(false)
    await world.publish(10)
    // These calls take long enough for the workers to look for work several times, and for a lease to end.
    for (let round = 1; round <= 5; round++) await world.me(callboard)
    const [{ n: tried } = { n: undefined }] = (await world.query('select count(*)::int as n from callboard.retries'))
      .rows
    expect(tried).toBe(0)
    await world.proxy.pass()
    await world.receiver.received(path, 21)
    await world.quiet()
    const ledger = await world.invariants({ survivors: workers, unsettled: 20, crashes: 2 })
    expect(ledger).toMatchObject({ owed: 21, delivered: 21, repeated: 0 })
  })
})
