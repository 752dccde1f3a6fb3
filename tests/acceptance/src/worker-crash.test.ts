import { expect } from 'vitest'
import { describeDeliveries, idsOf, type World } from './delivery-it.ts'
import type { RealFixture } from './stores.ts'
import { PATIENT, startWorkerChild, type WorkerChild } from './worker-child.ts'

const RETRY_SCHEDULE = [1, 1]

/** Starts a worker in a separate process; `killer` is the event that kills it. */
function workerChild({ fixture, receiver }: World<RealFixture>, killer?: string): WorkerChild {
  return startWorkerChild({
    url: fixture.url,
    schema: fixture.schema,
    ca: receiver.ca,
    worker: { ...PATIENT, retrySchedule: RETRY_SCHEDULE },
    strikes: killer === undefined ? [] : [{ at: 'before send', eventId: killer, does: 'kill' }],
  })
}

describeDeliveries('a worker process', {
  postgres(it) {
    it('F2: is killed while a target answers; another worker repeats the request after the lease has ended', async ({
      world,
    }) => {
      const path = world.path()
      const ref = await world.subscribe(path)
      world.receiver.answer(path, 'hold', {})
      const [id] = await world.publish()
      const child = workerChild(world)
      await world.receiver.received(path)
      await child.kill()

      const worker = await world.work()
      await world.tap.polls()
      expect(world.receiver.at(path)).toHaveLength(1)
      await world.fixture.advance(PATIENT.leaseMs)
      const [first, second] = await world.receiver.received(path, 2)
      await worker.stop()
      expect(idsOf([first!, second!])).toEqual([id, id])
      expect(second?.body.equals(first!.body)).toBe(true)
      expect(await world.attempts(ref)).toMatchObject([{ number: 1, outcome: 'delivered' }])
      expect(world.receiver.at(path)).toHaveLength(2)
    })

    it('F29: recovers from a delivery that kills it every time: that one is exhausted, others delivered', async ({
      world,
    }) => {
      const path = world.path()
      const ref = await world.subscribe(path)
      const [killer, other] = await world.publish(2)
      // The delivery is sent twice together with all other deliveries of its lease. Then it is sent alone: once, and
      // once more for each delay of the schedule.
      for (let crashes = 1; crashes <= 2 + 1 + RETRY_SCHEDULE.length; crashes++) {
        expect(await workerChild(world, killer).ended).toMatchObject({ signal: 'SIGKILL' })
        await world.fixture.advance(PATIENT.leaseMs)
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
