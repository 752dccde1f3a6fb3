import { CAPS } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, feed } from '../arranging/arrange.ts'
import { attemptOf, LEASE_MS, leaseLane, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, enable, remove } from '../arranging/subscription-acts.ts'
import { toMidHour } from './activity.ts'
import { healthOf } from './health-of.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

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

    it('are counted by minute for the last hour, and by day for the last 30 days', async ({ store, advance }) => {
      await toMidHour(store, advance)
      const { account, subscription } = await addSubscriber(store)
      const attempts = async (...made: Parameters<typeof attemptOf>[1][]) => {
        const [event] = await feed(store, account, 1)
        const lane = await leaseLane(store)
        await settleLane(store, lane, { attempts: made.map((each) => attemptOf(event!, each)) })
      }
      const shown = async () => {
        const { minutes, days, took } = (await store.health.history(subscription))!
        const counts = (of: typeof days = []) => of.map(({ delivered, failed }) => [delivered, failed])
        return { minutes: minutes && counts(minutes), days: counts(days), took }
      }
      const none = await shown()
      expect(none.took).toBeUndefined()
      expect([none.minutes?.flat(), none.days.flat()]).toEqual([Array(120).fill(0), Array(60).fill(0)])
      // To the middle of a minute.
      await advance(MINUTE_MS / 2)
      await attempts({ outcome: 'delivered', durationMs: 100 }, { durationMs: 900 })
      await advance(10 * MINUTE_MS)
      await attempts({ outcome: 'delivered', durationMs: 300 }, { outcome: 'expired', durationMs: 0 })
      const later = await shown()
      expect(later.minutes?.filter((each) => each.some((count) => count > 0))).toEqual([
        [1, 1],
        [1, 0],
      ])
      expect(later.days.at(-1)).toEqual([2, 1])
      expect(later.took).toEqual({ attempts: 3, p50Ms: 300, p95Ms: 900 })
      const [{ at } = { at: new Date(0) }] = (await store.health.history(subscription))!.minutes!
      expect(at.getTime() % MINUTE_MS).toBe(0)
      await advance(24 * HOUR_MS)
      await attempts(...Array.from({ length: CAPS.history }, () => ({ outcome: 'delivered', durationMs: 50 }) as const))
      const busy = await shown()
      expect(busy).toMatchObject({ minutes: undefined, took: { attempts: CAPS.history, p50Ms: 50, p95Ms: 50 } })
      expect(busy.days.slice(-2)).toEqual([
        [2, 1],
        [CAPS.history, 0],
      ])
      await advance(HOUR_MS)
      expect((await shown()).minutes?.flat()).toEqual(Array(120).fill(0))
      await remove(store, subscription)
      expect(await store.health.history(subscription)).toBeUndefined()
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
