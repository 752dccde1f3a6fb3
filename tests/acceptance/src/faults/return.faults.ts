import type { SubscriptionRef } from '@callboard/core/store'
import type { Worker } from '@callboard/delivery'
import { expect } from 'vitest'
import { describeDeliveries, type World } from '../delivery-it.ts'
import type { RealFixture } from '../stores.ts'

const SUBSCRIPTIONS = 40
const EVENTS = 20
const PER_SUBSCRIPTION = 5
const MINUTE_MS = 60_000
const STEP_MS = 5_000
/** The breaker's longest pause (5 minutes, and up to a fifth more at random) and one step of the test's clock. */
const LAST_RETURN_MS = 6 * MINUTE_MS + STEP_MS

/** Moves the clock forward and waits until all due work is done. */
async function pass(world: World<RealFixture>, worker: Worker, ms: number): Promise<void> {
  await world.fixture.advance(ms)
  do await world.tap.polls(3)
  while (worker.health().lanes + worker.health().waiting.lanes > 0)
}

describeDeliveries('a target', {
  postgres(it) {
    it('F31: gets few requests while down; its lanes resume at various times and respect perSubscription', async ({
      world,
    }) => {
      const paths = Array.from({ length: SUBSCRIPTIONS }, () => world.path())
      const refs: SubscriptionRef[] = []
      for (const path of paths) {
        refs.push(await world.subscribe(path))
        world.receiver.answer(path, { status: 503 })
      }
      const ids = await world.publish(EVENTS)
      const worker = await world.work({ perSubscription: PER_SUBSCRIPTION })
      for (let minute = 0; minute < 60; minute++) await pass(world, worker, MINUTE_MS)
      const counts = (): number[] => paths.map((path) => world.receiver.at(path).length)
      const down = counts()
      // The worker first sends a batch to each lane. After that, each pause ends with one probe: about 18 in an hour,
      // or 23 if pauses coincide with steps of the clock.
      expect(Math.max(...down)).toBeLessThanOrEqual(PER_SUBSCRIPTION + 30)
      expect(Math.min(...down)).toBeGreaterThan(PER_SUBSCRIPTION + 5)

      for (const path of paths) world.receiver.answer(path, {})
      const returned = new Map<string, number>()
      for (let ms = STEP_MS; ms <= LAST_RETURN_MS; ms += STEP_MS) {
        await pass(world, worker, STEP_MS)
        for (const [index, path] of paths.entries())
          if (!returned.has(path) && world.receiver.at(path).length > (down[index] ?? 0)) returned.set(path, ms)
      }
      expect(returned.size).toBe(SUBSCRIPTIONS)
      const times = [...returned.values()]
      const most = Math.max(...times.map((time) => times.filter((other) => other === time).length))
      expect(most, 'lanes that returned within the same five seconds').toBeLessThanOrEqual(SUBSCRIPTIONS / 4)
      expect(new Set(times).size).toBeGreaterThan(10)

      // Deliveries that failed are retried hours later, at the times of their own schedules.
      for (let hour = 0; hour < 4; hour++) await pass(world, worker, 60 * MINUTE_MS)
      await worker.stop()
      for (const [index, path] of paths.entries()) {
        expect(world.receiver.mostAtOnce(path)).toBeLessThanOrEqual(PER_SUBSCRIPTION)
        const ref = refs[index]!
        for (const id of ids)
          expect((await world.attempts(ref, id)).filter(({ outcome }) => outcome === 'delivered')).toHaveLength(1)
      }
    })
  },
})
