import { type ExpiredRange, REPLACES, type Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, publish } from './arrange.ts'
import { draft } from './inputs.ts'
import { ALL_ATTEMPTS, attemptOf, eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from './lanes.ts'
import { EVENTS_OF_AN_HOUR, HOUR_MS, NOTHING, retainAll } from './retention-passes.ts'
import type { StoreIt } from './store-it.ts'

export function describeExpiring(it: StoreIt): void {
  describe('retention that overtakes a lane', () => {
    it('moves the lane past the removed events, and counts the expired deliveries', async ({ store, advance }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const other = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      await feed(store, account, 5)
      await advance(2 * HOUR_MS)
      const ids = await feed(store, account, 2)
      const { after } = await overtakenBy(store, subscription)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR, 2)).toEqual({ ...NOTHING, events: 5, expired: 5 })
      // Consecutive steps form one range.
      expect(await store.maintenance.expiredRanges(subscription)).toEqual([
        { after, through: after + 5, deliveries: 5, endedAt: expect.any(Date) },
      ])
      expect(await store.maintenance.expiredRanges(other)).toEqual([])
      expect(eventIds(await leaseAndSettle(store))).toEqual(ids)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 2 })
    })

    it('does not count events that are older than the subscription as expired', async ({ store, advance }) => {
      const account = await addAccount(store)
      await publish(store, draft(account))
      const { subscription } = await addSubscriberTo(store, account)
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
      const failed = { cursor: lane.cursor + 1, retries: [retryOf(first!)], failures: 5, succeeded: false }
      await settleLane(store, lane, { ...failed, failedAttempts: 1, pauseMs: 9 * HOUR_MS })
      const disabled = await addSubscriber(store)
      await feed(store, disabled.account, 3)
      await store.subscriptions.disable(disabled.subscription, 'platform', REPLACES.platform)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toMatchObject({ events: 5, expired: 4 })
      expect(await store.maintenance.expiredRanges(paused.subscription)).toMatchObject([{ deliveries: 1 }])
      expect(await store.maintenance.expiredRanges(disabled.subscription)).toMatchObject([{ deliveries: 3 }])
      // After the pause, the retry is leased, although its event was removed.
      await advance(8 * HOUR_MS)
      expect((await leaseLane(store)).deliveries).toMatchObject([{ eventId: first, attempts: 1, event: undefined }])
    })

    it('lets a worker settle deliveries whose events were removed during the lease', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [first] = await feed(store, account, 2)
      const lane = await leaseLane(store, { perLane: 1, leaseMs: 4 * HOUR_MS })
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toMatchObject({ events: 2 })
      const settled = await settleLane(store, lane, { attempts: [attemptOf(first!, { outcome: 'delivered' })] })
      expect(settled.fenced).toEqual([])
      expect(await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).toHaveLength(1)
      for (const left of await leaseDue(store)) {
        expect(eventIds(left)).toEqual([])
        await settleLane(store, left)
      }
      const ids = await feed(store, account, 1)
      expect(eventIds(await leaseLane(store))).toEqual(ids)
    })
  })
}

/** Leases a lane to read its cursor, and releases it without settling any delivery. */
async function overtakenBy(
  store: Store<unknown>,
  subscription: { readonly id: string },
): Promise<Pick<ExpiredRange, 'after'>> {
  const lane = await leaseLane(store)
  expect(lane.lease.id).toBe(subscription.id)
  await settleLane(store, lane, { cursor: lane.cursor })
  return { after: lane.cursor }
}

async function addSubscriberTo(store: Store<unknown>, account: Awaited<ReturnType<typeof addAccount>>) {
  const key = await addKey(store, account)
  return { subscription: await addSubscription(store, key) }
}
