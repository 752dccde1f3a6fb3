import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, publish } from '../arranging/arrange.ts'
import { draft } from '../arranging/inputs.ts'
import { attemptOf, eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import { EVENTS_OF_AN_HOUR, HOUR_MS, NOTHING, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove } from '../arranging/subscription-acts.ts'
import { statesOf } from '../reading/listing.ts'

export function describeExpiring(it: StoreIt): void {
  describe('retention that overtakes a lane', () => {
    it('moves the lane past the removed events, and counts the expired deliveries', async ({ store, advance }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const other = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      await feed(store, account, 5)
      await advance(2 * HOUR_MS)
      const ids = await feed(store, account, 2)
      const lane = await leaseLane(store)
      await settleLane(store, lane, { settledThrough: lane.settledThrough })
      expect(await retainAll(store, EVENTS_OF_AN_HOUR, 2)).toEqual({ ...NOTHING, events: 5, expired: 5 })
      // Consecutive steps form one range.
      expect(await store.maintenance.expiredRanges(subscription)).toEqual([
        { after: lane.settledThrough, through: lane.settledThrough + 5, deliveries: 5, endedAt: expect.any(Date) },
      ])
      expect(await store.maintenance.expiredRanges(other)).toEqual([])
      expect(eventIds(await leaseAndSettle(store))).toEqual(ids)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 2 })
    })

    it('does not count events that are older than the subscription as expired', async ({ store, advance }) => {
      const account = await addAccount(store)
      await publish(store, draft(account))
      const subscription = await addSubscription(store, await addKey(store, account))
      await store.deliveries.sequence(10)
      await feed(store, account, 1)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 2, expired: 1 })
      expect(await store.maintenance.expiredRanges(subscription)).toMatchObject([{ deliveries: 1 }])
      expect((await leaseDue(store)).flatMap(eventIds)).toEqual([])
    })

    it('also moves a disabled or paused lane past the removed events', async ({ store, advance }) => {
      const paused = await addSubscriber(store)
      const [first] = await feed(store, paused.account, 2)
      const lane = await leaseLane(store)
      const failed = {
        settledThrough: lane.settledThrough + 1,
        retries: [retryOf(first!)],
        breakerFailures: 5,
        succeeded: false,
      }
      await settleLane(store, lane, { ...failed, failedAttempts: 1, pauseMs: 9 * HOUR_MS })
      const disabled = await addSubscriber(store)
      await feed(store, disabled.account, 3)
      await disable(store, disabled.subscription)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toMatchObject({ events: 5, expired: 4 })
      expect(await store.maintenance.expiredRanges(paused.subscription)).toMatchObject([{ deliveries: 1 }])
      expect(await store.maintenance.expiredRanges(disabled.subscription)).toMatchObject([{ deliveries: 3 }])
      // After the pause, the retry is leased, although its event was removed.
      await advance(8 * HOUR_MS)
      expect((await leaseLane(store)).deliveries).toMatchObject([{ eventId: first, attempts: 1, event: undefined }])
    })

    it('keeps the events that a worker may be sending, and counts only the others as expired', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const ids = await feed(store, account, 5)
      const lane = await leaseLane(store, { perLane: 2, leaseMs: 4 * HOUR_MS })
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR, 3)).toEqual({ ...NOTHING, events: 3, expired: 3 })
      expect(await retainAll(store, EVENTS_OF_AN_HOUR, 1)).toEqual(NOTHING)
      expect(await statesOf(store, subscription, ids.slice(0, 3))).toEqual(['pending', 'pending', undefined])
      const attempts = eventIds(lane).map((id) => attemptOf(id, { outcome: 'delivered' }))
      expect((await settleLane(store, lane, { attempts })).fenced).toEqual([])
      expect(await statesOf(store, subscription, ids.slice(0, 3))).toEqual(['delivered', 'delivered', undefined])
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 2 })
      expect(await store.maintenance.expiredRanges(subscription)).toMatchObject([{ deliveries: 3 }])
      const more = await feed(store, account, 1)
      expect((await leaseDue(store)).flatMap(eventIds)).toEqual(more)
    })

    it('stops leasing a lane whose remaining events were all removed', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const ids = await feed(store, account, 3)
      const lane = await leaseLane(store, { perLane: 1, leaseMs: 4 * HOUR_MS })
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 2, expired: 2 })
      await settleLane(store, lane, { attempts: [attemptOf(ids[0]!, { outcome: 'delivered' })] })
      // A store may lease the lane once more, without any delivery, to find that nothing is left.
      for (const empty of await leaseDue(store)) await settleLane(store, empty)
      expect(await leaseDue(store)).toEqual([])
    })

    it('keeps the events that a worker may still be sending to a disabled subscription', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const ids = await feed(store, account, 3)
      const lane = await leaseLane(store, { perLane: 1, leaseMs: 4 * HOUR_MS })
      await disable(store, subscription)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 2, expired: 2 })
      await settleLane(store, lane, { attempts: [attemptOf(ids[0]!, { outcome: 'delivered' })] })
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 1 })
    })

    it('does not keep an event that was sequenced after the subscription of a leased lane was disabled', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [first] = await feed(store, account, 1)
      await leaseAndSettle(store, { retries: [retryOf(first!, { delayMs: 0 })] })
      await leaseLane(store, { leaseMs: 4 * HOUR_MS })
      await disable(store, subscription)
      await feed(store, account, 1)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 2 })
    })

    it('keeps nothing for a subscription that was removed', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 3)
      await leaseLane(store, { leaseMs: 4 * HOUR_MS })
      await disable(store, subscription)
      await remove(store, subscription)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 3 })
    })

    it('expires a worker’s deliveries once its lease has ended, and fences the worker', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [first] = await feed(store, account, 5)
      const lane = await leaseLane(store, { perLane: 2, leaseMs: 3 * HOUR_MS })
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 3, expired: 3 })
      await advance(HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 2, expired: 2 })
      expect(await store.maintenance.expiredRanges(subscription)).toMatchObject([{ deliveries: 5 }])
      const late = await settleLane(store, lane, { attempts: [attemptOf(first!, { outcome: 'delivered' })] })
      expect(late.fenced).toEqual([lane.lease])
      const more = await feed(store, account, 1)
      expect((await leaseDue(store)).flatMap(eventIds)).toEqual(more)
    })

    it('expires a delivery although another subscription’s delivery of the same event is in flight', async ({
      store,
      advance,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const idle = await addSubscription(store, key, { targetUrl: 'https://other.example/hook' })
      const [first, second] = await feed(store, account, 3)
      await leaseDue(store, { perLane: 2, leaseMs: 4 * HOUR_MS, only: ({ id }) => id === subscription.id })
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 1, expired: 4 })
      expect(await store.maintenance.expiredRanges(idle)).toMatchObject([{ deliveries: 3 }])
      expect(await statesOf(store, idle, [first!, second!])).toEqual(['expired', 'expired'])
      expect((await leaseDue(store)).flatMap(eventIds)).toEqual([])
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 2, expired: 2 })
      expect(await store.maintenance.expiredRanges(idle)).toMatchObject([{ deliveries: 3 }])
    })
  })
}
