import { expect } from 'vitest'
import { describeDeliveries, idsOf, type World } from './delivery-it.ts'
import type { RealFixture } from './stores.ts'
import { PATIENT, startWorkerChild, type WorkerChild } from './worker-child.ts'

const RETRY_SCHEDULE = [1, 1]
const LEASE_MS = 3_600_000

/** Starts a worker in a separate process; `killer` is the event that kills it. Its leases outlast the test. */
function workerChild(
  { fixture, receiver }: World<RealFixture>,
  killer?: string,
  store?: { readonly notify: boolean },
): WorkerChild {
  return startWorkerChild({
    url: fixture.url,
    schema: fixture.schema,
    ca: receiver.ca,
    worker: { ...PATIENT, leaseMs: LEASE_MS, retrySchedule: RETRY_SCHEDULE },
    store,
    strikes: killer === undefined ? [] : [{ at: 'before send', eventId: killer, does: 'kill' }],
  })
}

describeDeliveries('a worker process', {
  postgres(it) {
    it.for([
      ['whose connection ends', { notify: true }],
      ['that has no connection of its own', { notify: false }],
    ] as const)(
      'F2: %s is killed while a target answers; another worker repeats the request at once',
      async ([, store], { world }) => {
        const path = world.path()
        const ref = await world.subscribe(path)
        world.receiver.answer(path, 'hold', {})
        const [id] = await world.publish()
        const child = workerChild(world, undefined, store)
        await world.receiver.received(path)
        await child.kill()

        const worker = await world.work()
        const [first, second] = await world.receiver.received(path, 2)
        await world.recorded(ref, 1)
        await worker.stop()
        expect(idsOf([first!, second!])).toEqual([id, id])
        expect(second?.body.equals(first!.body)).toBe(true)
        expect(await world.attempts(ref)).toMatchObject([{ number: 1, outcome: 'delivered' }])
        expect(world.receiver.at(path)).toHaveLength(2)
        expect(world.logs).toMatchObject([{ message: 'took over the deliveries of workers that had died' }])
      },
    )

    it('that stops leaves nothing that another worker has to take over', async ({ world }) => {
      const path = world.path()
      const ref = await world.subscribe(path)
      world.receiver.answer(path, 'hold', {})
      const first = await world.work({ graceMs: 0 })
      await world.publish()
      await world.receiver.received(path)
      await first.stop()
      expect((await world.fixture.query('select from callboard.workers')).rows).toEqual([])
      await world.work()
      await world.recorded(ref, 1)
      expect(world.logs).toEqual([])
    })

    it('F29: is killed by a delivery at every attempt: that delivery is exhausted, others are delivered', async ({
      world,
    }) => {
      const path = world.path()
      const ref = await world.subscribe(path)
      const [killer, other] = await world.publish(2)
      // The delivery is sent twice together with all other deliveries of its lease. Then it is sent alone: once, and
      // once more for each delay of the schedule.
      for (let crashes = 1; crashes <= 2 + 1 + RETRY_SCHEDULE.length; crashes++) {
        expect(await workerChild(world, killer).ended).toMatchObject({ signal: 'SIGKILL' })
      }
      const worker = await world.work({ retrySchedule: RETRY_SCHEDULE })
      await world.recorded(ref, 1, other)
      await worker.stop()
      expect(await world.attempts(ref, killer)).toMatchObject([
        { number: 3, outcome: 'exhausted', reason: 'crashed', status: undefined },
      ])
      expect(await world.attempts(ref, other)).toMatchObject([{ number: 1, outcome: 'delivered' }])
      expect(idsOf(world.receiver.at(path))).not.toContain(killer)
    })
  },
})
