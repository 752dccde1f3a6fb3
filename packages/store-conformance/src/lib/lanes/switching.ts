import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, feed } from '../arranging/arrange.ts'
import { newSubscription } from '../arranging/inputs.ts'
import {
  ALL_ATTEMPTS,
  attemptOf,
  eventIds,
  LEASE_MS,
  leaseAndSettle,
  leaseDue,
  leaseLane,
  retryOf,
  settleLane,
} from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { create, disable, enable, revise, setOrdering, skipToNow } from '../arranging/subscription-acts.ts'
import { listed, statesOf } from '../reading/listing.ts'

export function describeSwitching(it: StoreIt): void {
  describe('disabling, enabling or skipping while a worker holds the lane', () => {
    it.for(['enabled', 'created again', 'enabled after its worker disabled it'] as const)(
      'leaves the lane to its worker when the subscription is %s: the next event waits for the one in flight',
      async (how, { store }) => {
        const account = await addAccount(store)
        const input = newSubscription(await addKey(store, account))
        await create(store, input)
        await setOrdering(store, input, 'subject')
        const [first] = await feed(store, account, 1)
        const lane = await leaseLane(store)
        if (how === 'enabled after its worker disabled it')
          await settleLane(store, lane, { settledThrough: lane.settledThrough, disable: 'gone', keep: true })
        else await disable(store, input, 'gone')
        if (how === 'created again') await create(store, input)
        else await enable(store, input)
        const [second] = await feed(store, account, 1)
        expect(await leaseDue(store)).toEqual([])
        expect(await store.deliveries.sweep()).toBe(0)
        expect(await statesOf(store, input, [first!, second!])).toEqual(['disabled', 'pending'])

        const attempts = [attemptOf(first!, { outcome: 'delivered' })]
        expect(await settleLane(store, lane, { attempts, ended: [first!] })).toMatchObject({ fenced: [], disabled: [] })
        expect(await statesOf(store, input, [first!, second!])).toEqual(['delivered', 'pending'])
        expect(await store.deliveryLog.attempts(input, ALL_ATTEMPTS)).toMatchObject([{ outcome: 'delivered' }])
        expect(eventIds(await leaseLane(store))).toEqual([second])
      },
    )

    it('records the outcome of a retry in flight under the attempt number of that retry', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await leaseAndSettle(store, { attempts: [attemptOf(event!)], retries: [retryOf(event!, { delayMs: 1000 })] })
      await advance(1000)
      const lane = await leaseLane(store)
      await disable(store, subscription)
      await enable(store, subscription)
      expect(await listed(store, subscription)).toMatchObject([{ state: 'disabled', attempts: 1 }])
      await settleLane(store, lane, {
        attempts: [attemptOf(event!, { number: 2, outcome: 'delivered' })],
        ended: [event!],
      })
      expect(await listed(store, subscription)).toMatchObject([{ state: 'delivered', attempts: 2 }])
    })

    it('ends failed, waiting and unsent deliveries as disabled, and delivers the next event without a pause', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      await setOrdering(store, subscription, 'subject')
      const [failed, waiting, unsent] = await feed(store, account, 3)
      const lane = await leaseLane(store)
      await disable(store, subscription)
      await enable(store, subscription)
      const [next] = await feed(store, account, 1)
      expect(await store.deliveries.checkLeases([lane.lease])).toMatchObject([
        { deliverable: false, disable: undefined },
      ])
      await settleLane(store, lane, {
        settledThrough: lane.through - 1,
        attempts: [attemptOf(failed!)],
        retries: [retryOf(failed!, { delayMs: 0 }), retryOf(waiting!, { attempts: 0, delayMs: undefined })],
        succeeded: false,
        failedAttempts: 1,
        breakerFailures: 5,
        pauseMs: 300_000,
      })
      expect(await statesOf(store, subscription, [failed!, waiting!, unsent!, next!])).toEqual([
        'disabled',
        'disabled',
        'disabled',
        'pending',
      ])
      expect(await store.deliveryLog.find(subscription, failed!)).toMatchObject({ attempts: 1 })
      const fresh = await leaseLane(store)
      expect(eventIds(fresh)).toEqual([next])
      expect(await store.deliveries.checkLeases([fresh.lease])).toMatchObject([{ deliverable: true }])
    })

    it('lets the lane be leased again once the lease has expired, whether before or after the subscription is enabled', async ({
      store,
      advance,
    }) => {
      for (const expires of ['before', 'after'] as const) {
        const { account, subscription } = await addSubscriber(store)
        const [event] = await feed(store, account, 1)
        const lane = await leaseLane(store)
        await disable(store, subscription)
        if (expires === 'before') await advance(LEASE_MS)
        await enable(store, subscription)
        const [next] = await feed(store, account, 1)
        if (expires === 'after') {
          expect(await leaseDue(store)).toEqual([])
          await advance(LEASE_MS)
        }
        const other = await leaseLane(store)
        expect(eventIds(other)).toEqual([next])
        const attempts = [attemptOf(event!, { outcome: 'delivered' })]
        expect((await settleLane(store, lane, { attempts, ended: [event!] })).fenced).toEqual([lane.lease])
        expect(await statesOf(store, subscription, [event!])).toEqual(['disabled'])
        await settleLane(store, other)
      }
    })

    it.for(['gets a new target', 'has its leases released'] as const)(
      'takes the lane from its worker if the subscription %s while it is disabled',
      async (how, { store }) => {
        const { account, subscription } = await addSubscriber(store)
        await feed(store, account, 1)
        const lane = await leaseLane(store)
        await disable(store, subscription)
        if (how === 'gets a new target') await revise(store, subscription, { targetUrl: 'https://hooks.example.com/2' })
        else expect(await store.deliveries.releaseLeases({ of: 'all' })).toBe(1)
        expect(await leaseDue(store)).toEqual([])
        await enable(store, subscription)
        expect((await settleLane(store, lane)).fenced).toEqual([lane.lease])
        const next = await feed(store, account, 1)
        expect(eventIds(await leaseLane(store))).toEqual(next)
      },
    )

    it('lets an attempt in flight during a skip succeed, and skips the delivery if the attempt fails', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [good, bad] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      expect(await skipToNow(store, subscription)).toBe('changed')
      expect(await store.deliveries.checkLeases([lane.lease])).toMatchObject([
        { deliverable: false, disable: undefined },
      ])
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

    it('leaves a delivery that was skipped during the same lease as skipped', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      const lane = await leaseLane(store)
      await skipToNow(store, subscription)
      await disable(store, subscription)
      await enable(store, subscription)
      await settleLane(store, lane, { attempts: [attemptOf(event!)], retries: [retryOf(event!, { delayMs: 0 })] })
      expect(await statesOf(store, subscription, [event!])).toEqual(['skipped'])
      expect(await leaseDue(store)).toEqual([])
    })
  })
}
