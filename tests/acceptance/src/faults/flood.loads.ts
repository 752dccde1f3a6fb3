import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { describeDeliveries, type World } from '../delivery-it.ts'

const SUBSCRIPTIONS = 60
const EVENTS = 80
/**
 * PGlite may take this many times as long as Postgres, which runs on the other cores. While a worker on PGlite read no
 * socket as long as it found work, it took 8 times as long.
 */
const RATIO = 5

/** Publishes the events for all subscriptions of one account, and returns how many milliseconds a worker takes for them. */
async function flood(world: World<unknown>): Promise<number> {
  const paths = Array.from({ length: SUBSCRIPTIONS }, () => world.path())
  for (const path of paths) await world.subscribe(path)
  await world.publish(EVENTS)
  const since = performance.now()
  await world.work({ pollMs: 100 })
  while (paths.some((path) => world.receiver.at(path).length < EVENTS)) await delay(5)
  return performance.now() - since
}

let onPglite = 0

describeDeliveries('4,800 quick deliveries over 60 subscriptions of one account', {
  pglite(it) {
    it('leave', async ({ world }) => {
      onPglite = await flood(world)
    })
  },
  postgres(it) {
    it('leave Postgres at most five times as fast as PGlite', async ({ world }) => {
      const onPostgres = await flood(world)
      process.stdout.write(
        `a flood takes ${Math.round(onPostgres)} ms on Postgres, ${Math.round(onPglite)} on PGlite\n`,
      )
      expect(onPglite / onPostgres).toBeLessThanOrEqual(RATIO)
    })
  },
})
