import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { describeFaults } from './fault-world.ts'

const EARLIER = 2_500
const LIVE = 300
const KILLS = 5
/** No request waits for a retry for long, and a suspect delivery survives all kills. */
const OPTIONS = {
  worker: { deadlineMs: 1_000, leaseMs: 6_000, retrySchedule: Array.from({ length: 20 }, () => 200) },
}
/** The most requests to one subscription at once. */
const IN_FLIGHT = 10

describeFaults('a backfill', (it) => {
  it('F4: misses none of 2,500 events, and lets live ones pass, while its worker is killed again and again', async ({
    world,
  }) => {
    const { callboard, receiver } = world
    const since = new Date(Date.now() - 60_000)
    const earlier: string[] = []
    for (let published = 0; published < EARLIER; published += 500) earlier.push(...(await world.publish(500)))
    // The last of them are not sequenced yet when the subscription is created.
    let worker = await world.work(OPTIONS)
    await expect.poll(async () => (await world.query('select from callboard.outbox limit 1')).rows.length).toBe(0)
    earlier.push(...(await world.publish(20)))
    const { path, id } = await world.subscribe()
    await receiver.answer(path, { delayMs: 5 })
    const ref = { accountId: 'acc', id }
    await callboard.subscriptions.startBackfill({ ...ref, since })

    const live: string[] = []
    for (let kills = 0; kills < KILLS; kills++) {
      live.push(...(await world.publish(LIVE / KILLS)))
      await delay(300)
      await worker.kill()
      worker = await world.work(OPTIONS)
    }
    const before = await callboard.subscriptions.findBackfill(ref)
    await expect
      .poll(async () => (await callboard.subscriptions.findBackfill(ref))?.state, { timeout: 60_000, interval: 50 })
      .toBe('done')
    await world.quiet()

    const received = await receiver.log(path)
    const first = new Map<string, number>()
    for (const [index, request] of received.entries()) if (!first.has(request.id)) first.set(request.id, index)
    expect(earlier.filter((event) => !first.has(event))).toEqual([])
    expect(live.filter((event) => !first.has(event))).toEqual([])
    const repeated = received.length - first.size
    process.stdout.write(
      `backfill: ${KILLS} kills, ${received.length} requests for ${earlier.length + live.length} events, ${repeated} repeated; ${before?.state} at the last kill\n`,
    )
    expect(repeated).toBeLessThanOrEqual(KILLS * IN_FLIGHT)
    const last = (events: readonly string[]): number => Math.max(...events.map((event) => first.get(event) ?? 0))
    expect(last(live)).toBeLessThan(last(earlier))
    const ledger = await world.invariants({
      unsettled: KILLS * IN_FLIGHT,
      crashes: KILLS,
      attempts: 21,
      survivors: [worker],
    })
    expect(ledger).toMatchObject({ owed: LIVE, delivered: LIVE, lost: 0 })
    const { rows } = await world.query(
      `select count(*)::int as twice from (select event_id from callboard.attempts where outcome = 'delivered' group by event_id having count(*) > 1) a`,
    )
    expect(rows).toEqual([{ twice: 0 }])
  })
})
