import type { FailingRule, LaneSettlement, LeasedLane } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, feed } from '../arranging/arrange.ts'
import { leaseLane, settlementOf } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { enable } from '../arranging/subscription-acts.ts'

export function describeFailing(it: StoreIt): void {
  describe('a subscription that only fails', () => {
    const RULE: FailingRule = { attempts: 5, durationMs: 60_000, report: { attempts: 3, afterMs: 30_000 } }
    const failing = (lane: LeasedLane, failedAttempts: number) =>
      settlementOf(lane, { settledThrough: lane.settledThrough, succeeded: false, failedAttempts, keep: true })

    it('is disabled after enough failed attempts over a long enough time', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store, { leaseMs: 600_000 })
      expect((await store.deliveries.settle([failing(lane, 3)], RULE)).disabled).toEqual([])
      await advance(60_000)
      expect((await store.deliveries.settle([failing(lane, 1)], RULE)).disabled).toEqual([])
      const { accountId, mode, id } = subscription
      expect((await store.deliveries.settle([failing(lane, 1)], RULE)).disabled).toEqual([
        { accountId, mode, id, reason: 'failing' },
      ])
      expect(await store.subscriptions.find(subscription)).toMatchObject({
        state: 'disabled',
        disabledReason: 'failing',
      })
    })

    it('stays active until the rule’s time has passed, however many attempts fail', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store, { leaseMs: 600_000 })
      await store.deliveries.settle([failing(lane, 100)], RULE)
      await advance(50_000)
      expect((await store.deliveries.settle([failing(lane, 100)], RULE)).disabled).toEqual([])
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
    })

    it('is reported as failing once, after enough failures or enough time, and as recovered after a success', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const { accountId, mode, id } = subscription
      await feed(store, account, 1)
      const lane = await leaseLane(store, { leaseMs: 600_000 })
      const settle = (settlement: LaneSettlement) => store.deliveries.settle([settlement], RULE)
      const succeed = () =>
        settle(settlementOf(lane, { settledThrough: lane.settledThrough, succeeded: true, keep: true }))
      expect(await settle(failing(lane, 2))).toMatchObject({ failing: [], recovered: [] })
      expect(await settle(failing(lane, 1))).toMatchObject({
        failing: [{ accountId, mode, id, since: expect.any(Date), attempts: 3 }],
        recovered: [],
      })
      expect(await settle(failing(lane, 1))).toMatchObject({ failing: [], recovered: [] })
      expect(await succeed()).toMatchObject({ failing: [], recovered: [{ accountId, mode, id }] })
      expect(await succeed()).toMatchObject({ failing: [], recovered: [] })

      expect(await settle(failing(lane, 1))).toMatchObject({ failing: [] })
      await advance(30_000)
      expect(await settle(failing(lane, 0))).toMatchObject({ failing: [] })
      expect(await settle(failing(lane, 1))).toMatchObject({ failing: [{ id, attempts: 2 }] })
    })

    it('is not reported as failing or recovered when it is disabled, or on a success after it is enabled', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store, { leaseMs: 600_000 })
      expect((await store.deliveries.settle([failing(lane, 3)], RULE)).failing).toHaveLength(1)
      await advance(60_000)
      const disabling = await store.deliveries.settle([failing(lane, 3)], RULE)
      expect(disabling).toMatchObject({ disabled: [{ reason: 'failing' }], failing: [], recovered: [] })
      await enable(store, subscription)
      await feed(store, account, 1)
      await advance(600_000)
      const next = await leaseLane(store)
      const end = settlementOf(next, { succeeded: true })
      expect(await store.deliveries.settle([end], RULE)).toMatchObject({ failing: [], recovered: [] })
    })

    it('is disabled only by a settlement with a failed attempt', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store, { leaseMs: 600_000 })
      await store.deliveries.settle([failing(lane, RULE.attempts)], RULE)
      await advance(60_000)
      expect((await store.deliveries.settle([failing(lane, 0)], RULE)).disabled).toEqual([])
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      expect((await store.deliveries.settle([failing(lane, 1)], RULE)).disabled).toMatchObject([{ reason: 'failing' }])
    })

    it('is disabled only when both the count and the time have been reached since the last success', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store, { leaseMs: 600_000 })
      await store.deliveries.settle([failing(lane, 100)], RULE)
      await advance(60_000)
      await store.deliveries.settle(
        [settlementOf(lane, { settledThrough: lane.settledThrough, succeeded: true, failedAttempts: 2, keep: true })],
        RULE,
      )
      expect((await store.deliveries.settle([failing(lane, 100)], RULE)).disabled).toEqual([])
      await advance(60_000)
      // A success restarts the count. Two failed attempts are then too few, however much time passes.
      await store.deliveries.settle([settlementOf(lane, { settledThrough: lane.settledThrough, keep: true })], RULE)
      await store.deliveries.settle([failing(lane, 1)], RULE)
      await advance(60_000)
      expect((await store.deliveries.settle([failing(lane, 1)], RULE)).disabled).toEqual([])
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
    })
  })
}
