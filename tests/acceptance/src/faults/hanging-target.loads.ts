import { expect } from 'vitest'
import { describeDeliveries, idsOf } from '../delivery-it.ts'

const DEADLINE_MS = 10_000

describeDeliveries('a target that hangs', {
  postgres(it) {
    it('F17: times out at the deadline, give or take a tenth, and does not delay other targets until then', async ({
      world,
    }) => {
      const [hanging, other] = [world.path('hanging'), world.path('other')]
      const ref = await world.subscribe(hanging)
      world.receiver.answer(hanging, 'hold', 'hold', {})
      const ids = await world.publish(3)
      // The worker has one slot for fast targets and one for slow targets. A hanging request that kept its slot would
      // delay everybody.
      const worker = await world.work({
        deadlineMs: DEADLINE_MS,
        retrySchedule: [60_000],
        lanes: 1,
        slowLanes: 1,
        perSubscription: 1,
      })
      await world.receiver.received(hanging)
      await world.subscribe(other)
      const [late] = await world.publish()
      await world.receiver.received(other)
      await world.recorded(ref, 4)
      await worker.stop()

      const attempts = await world.attempts(ref)
      expect(attempts).toMatchObject([
        { eventId: ids[0], number: 1, outcome: 'failed', reason: 'timeout' },
        { eventId: ids[1], number: 1, outcome: 'failed', reason: 'timeout' },
        { eventId: ids[2], number: 1, outcome: 'delivered' },
        { eventId: late, number: 1, outcome: 'delivered' },
      ])
      for (const { durationMs } of attempts.slice(0, 2)) {
        expect(durationMs).toBeGreaterThanOrEqual(DEADLINE_MS * 0.9)
        expect(durationMs).toBeLessThanOrEqual(DEADLINE_MS * 1.1)
      }
      expect(world.receiver.mostAtOnce(hanging)).toBe(1)
      expect(idsOf(world.receiver.at(other))).toEqual([late])
    })
  },
})
