import { startPgBouncer } from '@callboard/testbed'
import { expect, onTestFinished } from 'vitest'
import type { WorkerChild } from '../worker-child.ts'
import { describeFaults, type FaultWorld } from './fault-world.ts'

const KILLS = 5
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
    ['a connection of its own', 1_000, async ({ proxy, url }: FaultWorld) => proxy.through(url)],
    ['PgBouncer in transaction mode', 6_000, ({ url }: FaultWorld) => bounced(url)],
  ] as const)('F36: with %s, has its delivery sent again within %i ms', async ([how, limitMs, urlIn], { world }) => {
    const url = await urlIn(world)
    const start = () => world.work({ worker: WORKER, url })
    const workers = new Set([await start(), await start()])
    const took: number[] = []
    for (let kills = 0; kills < KILLS; kills++) {
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
      await world.callboard.subscriptions.remove(ref, { by: 'platform' })
      workers.add(await start())
    }
    process.stdout.write(`F36: kill -9 to the next POST, ${how}: ${took.join(', ')} ms\n`)
    expect(Math.max(...took)).toBeLessThanOrEqual(limitMs)
  })
})
