import type { FailingRule, LeasedLane } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, feed } from './arrange.ts'
import { leaseLane, settlementOf } from './lanes.ts'
import type { StoreIt } from './store-it.ts'

export function describeFailing(it: StoreIt): void {
  describe('a subscription that only fails', () => {
    const RULE: FailingRule = { tries: 5, durationMs: 60_000 }
    const failing = (lane: LeasedLane, failedTries: number) =>
      settlementOf(lane, { cursor: lane.cursor, succeeded: false, failedTries, keep: true })

    it('is disabled after enough failed tries over enough time', async ({ store, advance }) => {
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

    it('goes on while the time is too short, however many fail', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store, { leaseMs: 600_000 })
      await store.deliveries.settle([failing(lane, 100)], RULE)
      await advance(50_000)
      expect((await store.deliveries.settle([failing(lane, 100)], RULE)).disabled).toEqual([])
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
    })

    it('is disabled by a failure, never by a visit in which nothing failed', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store, { leaseMs: 600_000 })
      await store.deliveries.settle([failing(lane, RULE.tries)], RULE)
      await advance(60_000)
      expect((await store.deliveries.settle([failing(lane, 0)], RULE)).disabled).toEqual([])
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      expect((await store.deliveries.settle([failing(lane, 1)], RULE)).disabled).toMatchObject([{ reason: 'failing' }])
    })

    it('is forgiven all of it by one success', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store, { leaseMs: 600_000 })
      await store.deliveries.settle([failing(lane, 100)], RULE)
      await advance(60_000)
      await store.deliveries.settle(
        [settlementOf(lane, { cursor: lane.cursor, succeeded: true, failedTries: 2, keep: true })],
        RULE,
      )
      expect((await store.deliveries.settle([failing(lane, 100)], RULE)).disabled).toEqual([])
      await advance(60_000)
      // One failed try since then is not enough, however long it is ago.
      await store.deliveries.settle([settlementOf(lane, { cursor: lane.cursor, keep: true })], RULE)
      await store.deliveries.settle([failing(lane, 1)], RULE)
      await advance(60_000)
      expect((await store.deliveries.settle([failing(lane, 1)], RULE)).disabled).toEqual([])
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
    })
  })
}
