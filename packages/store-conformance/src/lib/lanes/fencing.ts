import { FAILING_RULE, type LaneSettlement, type LeasedLane } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, feed } from '../arranging/arrange.ts'
import {
  ALL_ATTEMPTS,
  attemptOf,
  eventIds,
  LEASE_MS,
  leaseDue,
  leaseLane,
  retryOf,
  settleLane,
  settlementOf,
} from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, enable, remove } from '../arranging/subscription-acts.ts'

export function describeFencing(it: StoreIt): void {
  describe('settling lanes that were lost or disabled', () => {
    it('records nothing for a lost lease, but everything for the other leases of the call', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [lostEvent] = await feed(store, account, 1)
      const lost = await leaseLane(store)
      await advance(LEASE_MS)
      const held = await leaseLane(store, { worker: 'w2' })
      const other = await addSubscriber(store)
      const [otherEvent] = await feed(store, other.account, 1)
      const fine = await leaseLane(store)
      const failure = (lane: LeasedLane, eventId: string): LaneSettlement =>
        settlementOf(lane, {
          attempts: [attemptOf(eventId)],
          retries: [retryOf(eventId, { delayMs: 0 })],
          disable: 'gone',
        })

      const { accountId, mode, id } = other.subscription
      const result = await store.deliveries.settle(
        [failure(lost, lostEvent!), failure(fine, otherEvent!)],
        FAILING_RULE,
      )
      expect(result).toMatchObject({ fenced: [lost.lease], disabled: [{ accountId, mode, id, reason: 'gone' }] })
      expect(await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).toEqual([])
      expect(await store.deliveryLog.attempts(other.subscription, ALL_ATTEMPTS)).toHaveLength(1)
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      await settleLane(store, held)
      expect(await leaseDue(store)).toEqual([])
    })

    it('records the attempts of a subscription that was disabled during the lease, but no retries', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      const lane = await leaseLane(store)
      await disable(store, subscription)
      expect(await store.deliveries.checkLeases([lane.lease])).toMatchObject([{ deliverable: false }])
      const settled = await settleLane(store, lane, {
        attempts: [attemptOf(event!)],
        retries: [retryOf(event!, { delayMs: 0 })],
        disable: 'gone',
      })
      expect(settled).toMatchObject({ fenced: [], disabled: [] })
      expect(await store.subscriptions.find(subscription)).toMatchObject({
        state: 'disabled',
        disabledReason: 'platform',
      })
      expect(await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).toHaveLength(1)
      await advance(LEASE_MS)
      expect(await leaseDue(store)).toEqual([])
      await enable(store, subscription)
      expect(await leaseDue(store)).toEqual([])
    })

    it('records nothing for a subscription that was removed during the lease', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      const lane = await leaseLane(store)
      await remove(store, subscription)
      expect((await settleLane(store, lane, { attempts: [attemptOf(event!)] })).fenced).toEqual([lane.lease])
      expect(await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).toEqual([])
    })

    it.for(['by hand', 'by the first settlement'] as const)(
      'records nothing when a released lease is settled again after its subscription was disabled %s',
      async (how, { store }) => {
        const { account, subscription } = await addSubscriber(store)
        const [event] = await feed(store, account, 1)
        const lane = await leaseLane(store)
        await settleLane(store, lane, how === 'by hand' ? {} : { disable: 'gone' })
        if (how === 'by hand') await disable(store, subscription)
        // Settles again, like a worker that lost its connection before the response arrived.
        const again = await settleLane(store, lane, { attempts: [attemptOf(event!)] })
        expect(again.fenced).toEqual([lane.lease])
        expect(await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).toEqual([])
      },
    )

    it('releases all leases on request, and fences their holders', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      expect(await leaseDue(store)).toEqual([])
      expect(await store.deliveries.releaseLeases({ of: 'all' })).toBe(1)
      expect(await store.deliveries.releaseLeases({ of: 'all' })).toBe(0)
      expect((await settleLane(store, lane)).fenced).toEqual([lane.lease])
      expect(eventIds(await leaseLane(store))).toEqual(eventIds(lane))
    })
  })
}
