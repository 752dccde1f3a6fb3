import { setTimeout as delay } from 'node:timers/promises'
import type { Answer } from '@callboard/testbed'
import { expect } from 'vitest'
import { describeDeliveries, type World } from '../delivery-it.ts'

/** A host that counts its open requests, whatever their paths. */
interface CountingHost {
  readonly answer: () => Answer
  /** The highest number of open requests since the last call of `restart`. */
  most(): number
  restart(): void
}

/** Answers 503 if more than `most` requests are open, and otherwise 200 after `ms` milliseconds. */
function countingHost({ ms, most: limit }: { readonly ms: number; readonly most: number }): CountingHost {
  let open = 0
  let most = 0
  return {
    answer() {
      most = Math.max(most, ++open)
      const isRefused = open > limit
      const after = delay(isRefused ? 1 : ms).then(() => void open--)
      return { status: isRefused ? 503 : 200, after }
    },
    most: () => most,
    restart() {
      most = 0
    },
  }
}

/** Publishes this many events to each of these subscriptions at the host, and starts a worker. Resolves with the first request. */
async function load(
  world: World<unknown>,
  host: CountingHost,
  { subscriptions, events }: { readonly subscriptions: number; readonly events: number },
): Promise<void> {
  for (let n = 0; n < subscriptions; n++) {
    const path = world.path()
    await world.subscribe(path)
    world.receiver.answer(path, host.answer)
  }
  await world.publish(events)
  await world.work()
  while (host.most() === 0) await delay(1)
}

describeDeliveries('the requests open at a host', {
  postgres(it) {
    it('are at most 10 after the first second, if the host refuses more than 8', async ({ world }) => {
      const host = countingHost({ ms: 20, most: 8 })
      await load(world, host, { subscriptions: 20, events: 200 })
      await delay(1_000)
      host.restart()
      await delay(4_000)
      process.stdout.write(`open at a host that refuses more than 8: at most ${host.most()}\n`)
      expect(host.most()).toBeGreaterThanOrEqual(2)
      expect(host.most()).toBeLessThanOrEqual(10)
    })

    it('reach 200 within five seconds, if the host answers after 100 ms', async ({ world }) => {
      const host = countingHost({ ms: 100, most: Number.POSITIVE_INFINITY })
      await load(world, host, { subscriptions: 30, events: 400 })
      const since = performance.now()
      while (host.most() < 200 && performance.now() - since < 5_000) await delay(50)
      process.stdout.write(
        `open at a host that answers after 100 ms: ${host.most()} after ${Math.round(performance.now() - since)} ms\n`,
      )
      expect(host.most()).toBeGreaterThanOrEqual(200)
    })
  },
})
