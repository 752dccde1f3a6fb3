import { setTimeout as delay } from 'node:timers/promises'
import { engineOf } from '@callboard/core/engine'
import { expect } from 'vitest'
import { newCaller, orderPaidEvent } from '../arrange.ts'
import { PATIENT } from '../worker-child.ts'
import { describeFaults } from './fault-world.ts'

/** The leases do not expire during the test, so a delivery that is sent twice must have been leased twice. */
const RACING = {
  ...PATIENT,
  perSubscription: 4,
  // Short delays, because connections can time out on a slow machine, and such attempts are then retried.
  retrySchedule: Array.from({ length: 9 }, () => 200),
}

describeFaults('a race', (it) => {
  it('F22: eight workers lease none of 10,000 deliveries twice', async ({ world }) => {
    const subscriptions = await Promise.all(Array.from({ length: 50 }, () => world.subscribe()))
    for (let published = 0; published < 200; published += 100) await world.publish(100)
    const workers = await Promise.all(Array.from({ length: 8 }, () => world.work({ worker: RACING })))
    await Promise.all(subscriptions.map(({ path }) => world.receiver.received(path, 200)))
    await world.quiet()
    const ledger = await world.invariants({ survivors: workers })
    expect(ledger).toEqual({ owed: 10_000, delivered: 10_000, ended: 0, lost: 0, repeated: 0 })
    expect(workers.flatMap(({ logs }) => logs)).toEqual([])
    // A connection can fail on a slow machine. That adds a failed attempt, so only delivered attempts are counted.
    const { rows } = await world.query(`
select count(*)::int as delivered, count(distinct (subscription_id, event_id))::int as deliveries
from callboard.attempts where outcome = 'delivered'`)
    expect(rows).toEqual([{ delivered: 10_000, deliveries: 10_000 }])
  })

  it('F25: if subscribing, unsubscribing and publishing overlap, commit order decides who gets the event', async ({
    world,
  }) => {
    const caller = await newCaller(world.callboard, { scopes: ['webhooks.read', 'webhooks.write', 'people.read'] })
    const removed = new Map<string, number>()
    const asked: { path: string; at: number }[] = []
    const events: { id: string; answered: number }[] = []
    const worker = await world.work()
    const until = performance.now() + 5_000
    const racing = (): boolean => performance.now() < until

    const publishing = Array.from({ length: 3 }, async () => {
      while (racing()) {
        const { id } = await world.callboard.publish(orderPaidEvent())
        events.push({ id, answered: performance.now() })
        await delay(20)
      }
    })
    const subscribing = Array.from({ length: 3 }, async () => {
      while (racing()) {
        const at = performance.now()
        const { id, path } = await world.subscribe()
        asked.push({ path, at })
        await delay(Math.random() * 300)
        if (asked.length % 5 === 0) continue
        await engineOf(world.callboard).apiSubscriptions.remove(caller, id)
        removed.set(path, Date.now())
      }
    })
    const staying = await world.subscribe()
    await Promise.all([...publishing, ...subscribing])
    await world.quiet()
    const ledger = await world.invariants({ removed, survivors: [worker] })
    expect(ledger.lost).toBe(0)

    const log = await world.log()
    const arrived = new Set(log.map(({ path, id }) => `${path} ${id}`))
    const early = asked.flatMap(({ path, at }) =>
      events.filter(({ id, answered }) => answered < at && arrived.has(`${path} ${id}`)),
    )
    expect(early, 'committed before the subscription was requested').toEqual([])
    expect(asked.length).toBeGreaterThan(10)
    expect(events.length).toBeGreaterThan(100)
    expect(arrived.size).toBeGreaterThan(events.length / 2)
    expect((await world.receiver.log(staying.path)).length).toBeGreaterThan(0)
  })

  it('F24: if a worker crashes during a fan-out to 10,000 subscriptions, each is reached exactly once', async ({
    world,
  }) => {
    const count = 10_000
    await world.subscribeMany(count)
    await world.publish()

    // The worker locks the lanes in key order when it sequences the event. The test locks a lane in the middle. Once
    // the worker waits for that lane, it holds the locks on all earlier lanes.
    const { pool } = world.open({ pool: { max: 1 } })
    const blocker = await pool.connect()
    try {
      await blocker.query('begin')
      await blocker.query(
        'select from callboard.lanes where subscription_id = (select subscription_id from callboard.lanes order by subscription_id offset 5000 limit 1) for update',
      )
      const killed = await world.work({ worker: RACING })
      const waiting = async (): Promise<number> =>
        (await world.query(`select from pg_locks where not granted and locktype in ('tuple', 'transactionid')`)).rows
          .length
      await expect.poll(waiting, { timeout: 120_000 }).toBe(1)
      await killed.kill()
    } finally {
      blocker.release(true)
    }

    const next = await world.work({ worker: RACING })
    await world.quiet(120_000)
    const log = await world.log()
    expect(new Set(log.map(({ path }) => path)).size).toBe(count)
    expect(log).toHaveLength(count)
    const ledger = await world.invariants({ crashes: 1, survivors: [next] })
    expect(ledger).toEqual({ owed: count, delivered: count, ended: 0, lost: 0, repeated: 0 })
  })
})
