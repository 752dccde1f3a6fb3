import { describe, expect } from 'vitest'
import { addSubscriber, feed } from '../arranging/arrange.ts'
import { attemptOf, LEASE_MS, leaseLane, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, enable } from '../arranging/subscription-acts.ts'
import { toMidHour } from './activity.ts'
import { healthOf } from './health-of.ts'

const HOUR_MS = 3_600_000

export function describeAttemptsByHour(it: StoreIt): void {
  describe('attempts by hour', () => {
    it('are counted for each of the last 24 hours, in the hour in which they were settled', async ({
      store,
      advance,
    }) => {
      await toMidHour(store, advance)
      const { account, subscription } = await addSubscriber(store)
      const attempts = async (...outcomes: Parameters<typeof attemptOf>[1][]) => {
        const events = await feed(store, account, Math.max(1, outcomes.length))
        const made = outcomes.map((each, index) => attemptOf(events[index]!, each))
        await settleLane(store, await leaseLane(store), { attempts: made })
      }
      const DELIVERED = { outcome: 'delivered' } as const
      const FAILED = [{}, { outcome: 'exhausted' }, { outcome: 'gone' }] as const
      await attempts(DELIVERED, DELIVERED, { outcome: 'expired' })
      const { hours } = await healthOf(store, subscription)
      expect(hours).toHaveLength(24)
      const first = hours.at(-1)!
      expect(first).toMatchObject({ delivered: 2, failed: 0, durationMs: 500 })
      for (const [index, { at }] of hours.entries())
        expect(at.getTime()).toBe(first.at.getTime() - (23 - index) * HOUR_MS)
      expect(first.at.getTime() % HOUR_MS).toBe(0)
      await advance(HOUR_MS)
      await attempts(...FAILED, DELIVERED)
      await attempts(DELIVERED)
      await advance(2 * HOUR_MS)
      await attempts()
      const counts = async () =>
        (await healthOf(store, subscription)).hours.flatMap(({ at, delivered, failed }) =>
          delivered + failed === 0 ? [] : [[(at.getTime() - first.at.getTime()) / HOUR_MS, delivered, failed]],
        )
      expect(await counts()).toEqual([
        [0, 2, 0],
        [1, 2, 3],
      ])
      await attempts({})
      await disable(store, subscription)
      await enable(store, subscription)
      await advance(21 * HOUR_MS)
      expect(await counts()).toEqual([
        [1, 2, 3],
        [3, 0, 1],
      ])
      await advance(48 * HOUR_MS)
      expect(await counts()).toEqual([])
    })

    it('are not counted if the worker had lost its lease', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      const lost = await leaseLane(store)
      await advance(LEASE_MS)
      const lane = await leaseLane(store)
      await settleLane(store, lost, { attempts: [attemptOf(event!)] })
      await settleLane(store, lane, { attempts: [attemptOf(event!, { outcome: 'delivered' })], keep: true })
      await settleLane(store, lane, { attempts: [attemptOf(event!)] })
      const { hours } = await healthOf(store, subscription)
      expect(hours.reduce((sum, { delivered, failed }) => sum + delivered + 100 * failed, 0)).toBe(101)
    })
  })
}
