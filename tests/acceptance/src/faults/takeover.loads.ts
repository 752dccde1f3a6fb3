import { setTimeout as delay } from 'node:timers/promises'
import { type PlainAnswer, startPgBouncer } from '@callboard/testbed'
import { expect, onTestFinished } from 'vitest'
import type { WorkerChild } from '../worker-child.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

const IN_FLIGHT = 48
/** The subscriptions at the host that is sent `IN_FLIGHT` deliveries. */
const LANES = 12
/** From this many events for each of the subscriptions, the worker learns how many requests the host can take. */
const LEARNT_FROM = 100
/** Longer than the test, so that no delivery is repeated because a lease has ended. */
const WORKER = { deadlineMs: 30_000, leaseMs: 3_600_000 }

/** The worker that is sending to a target now. */
async function busyOf(workers: readonly WorkerChild[]): Promise<WorkerChild> {
  for (;;) for (const worker of workers) if ((await worker.look()).health.lanes > 0) return worker
}

/** The URL that leads to the database through a PgBouncer. */
async function bounced(url: string): Promise<string> {
  const bouncer = await startPgBouncer(url, 'transaction')
  onTestFinished(() => bouncer.stop())
  return bouncer.through(url)
}

describeFaults('a killed worker', (it) => {
  it.for([
    ['a connection of its own', 1_000, 5, async ({ proxy, url }: FaultWorld) => proxy.through(url)],
    // Each of these takes five seconds.
    ['PgBouncer in transaction mode', 6_000, 3, ({ url }: FaultWorld) => bounced(url)],
  ] as const)(
    'F36: with %s, has its delivery sent again within %i ms',
    async ([how, limitMs, times, urlIn], { world }) => {
      const url = await urlIn(world)
      const start = () => world.work({ worker: WORKER, url })
      const workers = new Set([await start(), await start()])
      const took: number[] = []
      for (let kills = 0; kills < times; kills++) {
        const { path, ...ref } = await world.subscribe()
        await world.receiver.answer(path, 'hold', {})
        await world.publish()
        await world.receiver.received(path)
        const busy = await busyOf([...workers])
        const killedAt = Date.now()
        busy.signal('SIGKILL')
        await world.receiver.received(path, 2)
        const [, again] = await world.receiver.log(path)
        took.push(Math.round(again!.at - killedAt))
        await busy.ended
        workers.delete(busy)
        await world.quiet()
        await world.callboard.subscriptions.remove({ ...ref, by: 'platform' })
        workers.add(await start())
      }
      process.stdout.write(`F36: kill -9 to the next POST, ${how}: ${took.join(', ')} ms\n`)
      expect(Math.max(...took)).toBeLessThanOrEqual(limitMs)
    },
  )

  // Retried, because starting a process takes longer while others use the machine.
  it('that is started again at once sends the 48 deliveries that were in flight to one host within 2.5 s', {
    retry: 2,
  }, async ({ world }) => {
    const { receiver } = world
    const paths = await Promise.all(Array.from({ length: LANES }, async () => (await world.subscribe()).path))
    const answer = (how: PlainAnswer) => Promise.all(paths.map((path) => receiver.answer(path, how)))
    const received = (count: number) => Promise.all(paths.map((path) => receiver.received(path, count)))
    await answer({ delayMs: 300 })
    const first = await world.work({ worker: WORKER })
    await world.publish(LEARNT_FROM)
    await received(LEARNT_FROM)
    await world.quiet()
    await answer('hold')
    await world.publish(IN_FLIGHT / LANES)
    await received(LEARNT_FROM + IN_FLIGHT / LANES)
    // The worker reports at most once a second what it has learnt.
    await delay(2_000)
    await answer({ delayMs: 300 })
    await first.kill()

    const startedAt = Date.now()
    await world.work({ worker: WORKER })
    await received(LEARNT_FROM + (2 * IN_FLIGHT) / LANES)
    const after = (await receiver.log()).filter(({ at }) => at >= startedAt)
    expect(after).toHaveLength(IN_FLIGHT)
    const took = Math.round(Math.max(...after.map(({ at }) => at)) - startedAt)
    process.stdout.write(`kill -9 and a start: ${IN_FLIGHT} deliveries to one host arrive within ${took} ms\n`)
    expect(took).toBeLessThanOrEqual(2_500)
  })
})
