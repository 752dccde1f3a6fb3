import { describe, expect } from 'vitest'
import { addSubscriber, addSubscription, feed, publish } from './arrange.ts'
import { draft, ENTRY, newSubscription } from './inputs.ts'
import { attemptOf, eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from './lanes.ts'
import { listed, statesOf } from './listing.ts'
import type { StoreIt } from './store-it.ts'
import { create, disable, enable, remove, skipToNow } from './subscription-acts.ts'

export function describeEndingPending(it: StoreIt): void {
  describe('ending pending deliveries', () => {
    it('skips all pending deliveries, sequenced or not, and then delivers new events', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [delivered, retried] = await feed(store, account, 2)
      await leaseAndSettle(store, { retries: [retryOf(retried!, { attempts: 2, delayMs: 0 })] })
      const [waiting] = await feed(store, account, 1)
      const unsequenced = draft(account)
      await publish(store, unsequenced)
      expect(await skipToNow(store, subscription)).toBe('changed')
      expect(await leaseDue(store)).toEqual([])
      const [fresh] = await feed(store, account, 1)
      expect(eventIds(await leaseAndSettle(store))).toEqual([fresh])
      expect(await statesOf(store, subscription, [delivered!, retried!, waiting!, unsequenced.id, fresh!])).toEqual([
        'delivered',
        'skipped',
        'skipped',
        'skipped',
        'delivered',
      ])
      expect(await store.deliveryLog.resend(subscription, waiting!, ENTRY)).toBe('scheduled')
      expect(eventIds(await leaseLane(store))).toEqual([waiting])
    })

    it('lets an attempt in flight during a skip succeed, and skips the delivery if the attempt fails', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [good, bad] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      expect(await skipToNow(store, subscription)).toBe('changed')
      expect(await store.deliveries.check([lane.lease])).toMatchObject([{ deliverable: false, hold: undefined }])
      const settled = await settleLane(store, lane, {
        attempts: [attemptOf(good!, { outcome: 'delivered' }), attemptOf(bad!)],
        retries: [retryOf(bad!, { delayMs: 0 })],
        ended: [good!],
      })
      expect(settled.fenced).toEqual([])
      expect(await leaseDue(store)).toEqual([])
      expect(await statesOf(store, subscription, [good!, bad!])).toEqual(['delivered', 'skipped'])
      const fresh = await feed(store, account, 1)
      expect(eventIds(await leaseLane(store))).toEqual(fresh)
    })

    it('skips nothing for a subscription that is disabled or does not exist', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      await disable(store, subscription)
      expect(await skipToNow(store, subscription)).toBe('refused')
      await remove(store, subscription)
      expect(await skipToNow(store, subscription)).toBe('unknown')
    })

    it.for(['enabled', 'created again'] as const)(
      'lists an event as disabled if a disabled subscription is %s before the event is sequenced',
      async (how, { store }) => {
        const { account, key, subscription } = await addSubscriber(store, { subscription: { eventTypes: ['other'] } })
        const input = newSubscription(key)
        await create(store, input)
        const [waiting] = await feed(store, account, 1)
        const unsequenced = draft(account)
        await publish(store, unsequenced)
        await disable(store, input, 'gone')
        expect(await statesOf(store, input, [waiting!])).toEqual(['disabled'])
        if (how === 'enabled') await enable(store, input)
        else await create(store, input)
        await store.deliveries.sequence(10)
        expect(await leaseDue(store)).toEqual([])
        expect(await statesOf(store, input, [waiting!, unsequenced.id])).toEqual(['disabled', 'disabled'])
        // Disabling and enabling the subscription again must not change the recorded states. No other subscription may
        // list these events.
        await disable(store, input, 'gone')
        await enable(store, input)
        expect(await statesOf(store, input, [waiting!, unsequenced.id])).toEqual(['disabled', 'disabled'])
        expect(await listed(store, subscription)).toEqual([])
        const late = await addSubscription(store, key)
        expect(await listed(store, late)).toEqual([])
      },
    )

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
        const all = { eventId: undefined, before: undefined, limit: 9 }
        expect(await store.deliveryLog.attempts(subscription, all)).toEqual([])
      },
    )
  })
}
