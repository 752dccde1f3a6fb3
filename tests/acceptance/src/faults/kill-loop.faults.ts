import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { WorkerChild } from '../worker-child.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

const WORKERS = 4
const SUBSCRIPTIONS = 5
const EVENTS = 2_000
const KILLING_MS = 60_000
const KILL_EVERY_MS = 300
/**
 * A delivery that was in flight when several workers were killed is suspect and sent alone. Each further kill uses up
 * one of its attempts, so the schedule must be long.
 */
const RETRY_SCHEDULE = Array.from({ length: 50 }, () => 200)
const HEAP_LIMIT = 200 * 1024 * 1024

/**
 * Repeatedly kills the worker that has run longest and starts another, so that the number of workers stays the same.
 */
async function killLoop(start: () => Promise<WorkerChild>): Promise<{ kills: number; survivors: WorkerChild[] }> {
  const workers = await Promise.all(Array.from({ length: WORKERS }, start))
  const starting = new Set<Promise<unknown>>()
  const until = performance.now() + KILLING_MS
  let kills = 0
  while (performance.now() < until) {
    await delay(KILL_EVERY_MS)
    // On a slow machine, perhaps no worker has started yet. A later round will find one.
    const victim = workers.shift()
    if (victim === undefined) continue
    await victim.kill()
    kills++
    const next: Promise<unknown> = start()
      .then((worker) => workers.push(worker))
      .finally(() => starting.delete(next))
    starting.add(next)
  }
  await Promise.all(starting)
  return { kills, survivors: workers }
}

/** Counts the attempts that have a recorded answer, and the deliveries that are recorded as delivered twice or more. */
async function recorded({ query }: FaultWorld): Promise<{ answered: number; twice: number }> {
  const { rows } = await query(`
select sum(answered)::int as answered, count(*) filter (where delivered > 1)::int as twice
from (select count(status) as answered, count(*) filter (where outcome = 'delivered') as delivered
  from callboard.attempts group by subscription_id, event_id) a`)
  return { answered: Number(rows[0]?.['answered']), twice: Number(rows[0]?.['twice']) }
}

describeFaults('four workers', (it) => {
  it('F4: lose none of 2,000 events while one worker is killed every 300 ms for a minute', async ({ world }) => {
    const subscriptions = await Promise.all(Array.from({ length: SUBSCRIPTIONS }, () => world.subscribe()))
    // The answers are slow enough that a kill hits requests in flight.
    for (const { path } of subscriptions) await world.receiver.answer(path, { delayMs: 20 })
    const options = { worker: { deadlineMs: 1_000, leaseMs: 6_000, retrySchedule: RETRY_SCHEDULE } }

    const killing = killLoop(() => world.work(options))
    for (let published = 0; published < EVENTS; published += 50) {
      await world.publish(50)
      await delay((0.8 * KILLING_MS * 50) / EVENTS)
    }
    const { kills, survivors } = await killing
    await world.quiet(120_000)

    const received = (await world.receiver.log()).length
    const { answered, twice } = await recorded(world)
    // Only requests whose answers were not recorded may have been repeated.
    const unsettled = received - answered
    const ledger = await world.invariants({
      unsettled,
      crashes: kills,
      attempts: RETRY_SCHEDULE.length + 1,
      survivors,
    })
    process.stdout.write(
      `F4: ${kills} kills; committed ${ledger.owed}, received ${received}, repeated ${ledger.repeated}, ended ${ledger.ended}, lost ${ledger.lost}\n`,
    )
    expect(ledger).toMatchObject({
      owed: EVENTS * SUBSCRIPTIONS,
      delivered: EVENTS * SUBSCRIPTIONS,
      ended: 0,
      lost: 0,
    })
    expect(twice).toBe(0)
    expect(kills).toBeGreaterThan(0)
    expect(unsettled).toBeLessThanOrEqual(kills * subscriptions.length * 10)
    for (const survivor of survivors) expect((await survivor.look()).heapUsed).toBeLessThan(HEAP_LIMIT)
  })
})
