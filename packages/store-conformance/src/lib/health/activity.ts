import type { Account } from '@callboard/core'
import { type AccountActivity, type RequestOf, type Store, sumCounts } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, addSubscription, feed, feedDrafts } from '../arranging/arrange.ts'
import { draft } from '../arranging/inputs.ts'
import { attemptOf, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import { EVENTS_OF_AN_HOUR, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove } from '../arranging/subscription-acts.ts'
import { healthOf } from './health-of.ts'

const HOUR_MS = 3_600_000

function activityOf(
  store: Store<unknown>,
  { id }: Account,
  overrides: Partial<RequestOf<'health', 'activity'>> = {},
): Promise<AccountActivity> {
  return store.health.activity({ accountId: id, mode: 'live', range: 'day', limit: 5, ...overrides })
}

/** Moves the clock to the middle of an hour, so that no hour ends during the test. */
export async function toMidHour(store: Store<unknown>, advance: (ms: number) => void | Promise<void>): Promise<void> {
  const { account, subscription } = await addSubscriber(store)
  await feed(store, account, 1)
  const { oldestPendingAt } = await healthOf(store, subscription)
  await settleLane(store, await leaseLane(store))
  await advance(1.5 * HOUR_MS - (oldestPendingAt!.getTime() % HOUR_MS))
}

export function describeActivity(it: StoreIt): void {
  describe('the activity of an account', () => {
    it('is 0 in every hour or day of the range for a new account', async ({ store }) => {
      const account = await addAccount(store)
      for (const [range, length, periodMs] of [
        ['day', 24, HOUR_MS],
        ['week', 7, 24 * HOUR_MS],
        ['month', 30, 24 * HOUR_MS],
      ] as const) {
        const { periods, ...rest } = await activityOf(store, account, { range })
        expect(rest).toEqual({
          counts: { all: 0, failing: 0, disabled: 0 },
          pending: 0,
          retrying: 0,
          oldestPendingAt: undefined,
          slowest: [],
        })
        expect(periods).toHaveLength(length)
        expect(sumCounts(periods)).toEqual({ delivered: 0, failed: 0, durationMs: 0 })
        expect(periods.at(-1)!.at.getTime() - periods[0]!.at.getTime()).toBe((length - 1) * periodMs)
      }
    })

    it('sums up the attempts of all subscriptions by hour, and lists the slowest subscriptions first', async ({
      store,
      advance,
    }) => {
      const { account, key, subscription: quick } = await addSubscriber(store)
      await toMidHour(store, advance)
      const slow = await addSubscription(store, key)
      const idle = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      const attempts = async (durations: Readonly<Record<string, number>>, failed: readonly string[] = []) => {
        const [event] = await feed(store, account, 1)
        for (const lane of await leaseDue(store)) {
          const { id } = lane.lease
          const outcome = failed.includes(id) ? 'exhausted' : 'delivered'
          await settleLane(store, lane, {
            attempts: [attemptOf(event!, { outcome, durationMs: durations[id]! })],
            ended: [event!],
          })
        }
      }
      await attempts({ [quick.id]: 10, [slow.id]: 900 }, [slow.id])
      await attempts({ [quick.id]: 30, [slow.id]: 700 })
      await advance(HOUR_MS)
      await attempts({ [quick.id]: 50, [slow.id]: 500 })
      const day = await activityOf(store, account)
      expect(day.periods.slice(-2)).toMatchObject([
        { delivered: 3, failed: 1, durationMs: 1640 },
        { delivered: 2, failed: 0, durationMs: 550 },
      ])
      expect(day.slowest.map(({ subscription }) => subscription)).toEqual([
        await store.subscriptions.find(slow),
        await store.subscriptions.find(quick),
      ])
      expect(day.slowest.map(({ periods }) => periods.slice(-2))).toMatchObject([
        [
          { delivered: 1, failed: 1, durationMs: 1600 },
          { delivered: 1, failed: 0, durationMs: 500 },
        ],
        [
          { delivered: 2, failed: 0, durationMs: 40 },
          { delivered: 1, failed: 0, durationMs: 50 },
        ],
      ])
      expect((await activityOf(store, account, { limit: 1 })).slowest).toHaveLength(1)
      expect(day.counts).toEqual({ all: 3, failing: 0, disabled: 0 })
      await advance(24 * HOUR_MS)
      await attempts({ [quick.id]: 10, [slow.id]: 20 })
      expect(sumCounts((await activityOf(store, account)).periods)).toEqual({ delivered: 2, failed: 0, durationMs: 30 })
      const week = await activityOf(store, account, { range: 'week' })
      expect(week.periods.every(({ at }) => at.getTime() % (24 * HOUR_MS) === 0)).toBe(true)
      expect(sumCounts(week.periods)).toEqual({ delivered: 7, failed: 1, durationMs: 2220 })
      await remove(store, slow)
      const without = await activityOf(store, account, { range: 'week' })
      expect(sumCounts(without.periods)).toEqual({ delivered: 4, failed: 0, durationMs: 100 })
      expect(without.slowest.map(({ subscription: { id } }) => id)).toEqual([quick.id])
      expect(without.counts.all).toBe(2)
      expect(idle.id).not.toBe(quick.id)
      expect(sumCounts((await activityOf(store, account, { mode: 'test' })).periods).delivered).toBe(0)
      await advance(28 * 24 * HOUR_MS)
      await retainAll(store, EVENTS_OF_AN_HOUR)
      expect(sumCounts((await activityOf(store, account, { range: 'week' })).periods).delivered).toBe(0)
      expect(sumCounts((await activityOf(store, account, { range: 'month' })).periods)).toEqual(
        sumCounts(without.periods),
      )
      await advance(2 * 24 * HOUR_MS)
      expect(sumCounts((await activityOf(store, account, { range: 'month' })).periods).delivered).toBe(0)
    })

    it('leaves out slow subscriptions with few attempts, unless all have few', async ({ store }) => {
      const { account, key, subscription: steady } = await addSubscriber(store)
      const rare = await addSubscription(store, key)
      const attempts = async (count: number, only: readonly string[]) => {
        const events = await feed(store, account, count)
        for (const lane of await leaseDue(store))
          await settleLane(store, lane, {
            attempts: events
              .filter(() => only.includes(lane.lease.id))
              .map((event) => attemptOf(event, { durationMs: lane.lease.id === rare.id ? 9_000 : 20 })),
            ended: events,
          })
      }
      const slowest = async () => (await activityOf(store, account)).slowest.map(({ subscription: { id } }) => id)
      await attempts(9, [steady.id, rare.id])
      expect(await slowest()).toEqual([rare.id, steady.id])
      await attempts(1, [steady.id])
      expect(await slowest()).toEqual([steady.id])
      await attempts(1, [rare.id])
      expect(await slowest()).toEqual([rare.id, steady.id])
    })

    it('counts pending and retrying deliveries, but none of a disabled subscription', async ({ store, advance }) => {
      const { account, key, subscription } = await addSubscriber(store)
      await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      const [first, second] = await feed(store, account, 2)
      await settleLane(store, await leaseLane(store), {
        attempts: [attemptOf(first!), attemptOf(second!)],
        retries: [retryOf(first!), retryOf(second!)],
        succeeded: false,
        failedAttempts: 2,
      })
      await advance(HOUR_MS)
      await feed(store, account, 1)
      const { oldestPendingAt } = await healthOf(store, subscription)
      await advance(HOUR_MS)
      await feedDrafts(store, draft(account, { type: 'order.refunded' }), draft(account, { type: 'order.moved' }))
      expect(await activityOf(store, account)).toMatchObject({
        counts: { all: 2, failing: 1, disabled: 0 },
        pending: 2,
        retrying: 2,
        oldestPendingAt,
      })
      await disable(store, subscription)
      const disabled = await activityOf(store, account)
      expect(disabled).toMatchObject({ counts: { all: 2, failing: 0, disabled: 1 }, pending: 1, retrying: 0 })
      expect(disabled.oldestPendingAt!.getTime()).toBeGreaterThan(oldestPendingAt!.getTime())
    })
  })
}
