import { createId } from '@callboard/core'
import type { Store, SubscriptionRef } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, addSubscription, feed, publish } from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { attemptOf, eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove, setOrdering, skipToNow } from '../arranging/subscription-acts.ts'
import { listed, statesOf } from '../reading/listing.ts'

/** Exhausts a delivery. */
async function exhaust(store: Store<unknown>, eventId: string): Promise<void> {
  await leaseAndSettle(store, {
    attempts: [attemptOf(eventId, { outcome: 'exhausted', number: 10 })],
    ended: [eventId],
  })
}

async function resend(store: Store<unknown>, ref: SubscriptionRef, eventId: string | undefined) {
  return store.deliveryLog.resend(ref, eventId!, ENTRY)
}

export function describeResending(it: StoreIt): void {
  describe('resending a delivery', () => {
    it('starts an ended delivery again, with a new retry schedule', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await exhaust(store, event!)
      expect(await resend(store, subscription, event)).toBe('scheduled')
      expect(await listed(store, subscription)).toMatchObject([{ eventId: event, state: 'pending', attempts: 0 }])
      const lane = await leaseLane(store)
      expect(lane.deliveries).toMatchObject([{ eventId: event, position: undefined, attempts: 0, redacted: false }])
      await settleLane(store, lane, { attempts: [attemptOf(event!, { outcome: 'delivered' })], ended: [event!] })
      expect(await statesOf(store, subscription, [event!])).toEqual(['delivered'])
      expect(await leaseDue(store)).toEqual([])
      expect(await resend(store, subscription, event)).toBe('scheduled')
      expect(eventIds(await leaseLane(store))).toEqual([event])
    })

    it('makes a retrying delivery due now, and keeps its attempts', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await leaseAndSettle(store, { attempts: [attemptOf(event!)], retries: [retryOf(event!, { attempts: 3 })] })
      expect(await leaseDue(store)).toEqual([])
      expect(await resend(store, subscription, event)).toBe('hastened')
      expect(await resend(store, subscription, event)).toBe('hastened')
      expect((await leaseLane(store)).deliveries).toMatchObject([{ eventId: event, attempts: 3 }])
    })

    it('keeps retrying a delivery that was skipped and then resent during a failing attempt', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      const lane = await leaseLane(store)
      await skipToNow(store, subscription)
      expect(await resend(store, subscription, event)).toBe('scheduled')
      await settleLane(store, lane, { attempts: [attemptOf(event!)], retries: [retryOf(event!)], succeeded: false })
      expect(await listed(store, subscription)).toMatchObject([{ eventId: event, state: 'retrying', attempts: 1 }])
      expect((await leaseLane(store)).deliveries).toMatchObject([{ eventId: event, attempts: 1 }])
    })

    it('does nothing for a pending delivery, sequenced or not', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const event = draft(account)
      await publish(store, event)
      expect(await resend(store, subscription, event.id)).toBe('pending')
      await store.deliveries.sequence(10)
      expect(await resend(store, subscription, event.id)).toBe('pending')
      const lane = await leaseLane(store)
      expect(eventIds(lane)).toEqual([event.id])
      expect(await resend(store, subscription, event.id)).toBe('pending')
      await settleLane(store, lane)
      expect(await leaseDue(store)).toEqual([])
    })

    it.for(['older than the subscription', 'of another type'] as const)(
      'sends an event that is %s, and lists it from then on',
      async (which, { store }) => {
        const { account, key } = await addSubscriber(store)
        const event = draft(account, which === 'of another type' ? { type: 'order.refunded' } : {})
        if (which === 'older than the subscription') await publish(store, event)
        await store.deliveries.sequence(10)
        const late = await addSubscription(store, key)
        if (which === 'of another type') await publish(store, event)
        await store.deliveries.sequence(10)
        for (const lane of await leaseDue(store)) await settleLane(store, lane)
        expect(await listed(store, late)).toEqual([])
        expect(await resend(store, late, event.id)).toBe('scheduled')
        expect(await statesOf(store, late, [event.id])).toEqual(['pending'])
        const lane = await leaseLane(store)
        expect(lane).toMatchObject({ lease: { id: late.id }, deliveries: [{ eventId: event.id }] })
        await settleLane(store, lane, { attempts: [attemptOf(event.id, { outcome: 'delivered' })], ended: [event.id] })
        expect(await listed(store, late)).toMatchObject([{ eventId: event.id, state: 'delivered', type: event.type }])
        const ref = { accountId: account.id, mode: 'live', eventId: event.id } as const
        const page = await store.deliveryLog.pageOfEvent(ref, { state: 'delivered', before: undefined, limit: 9 })
        expect(page.deliveries.map(({ subscriptionId }) => subscriptionId)).toContain(late.id)
      },
    )

    it('does not find an event of another account or mode, or a removed subscription', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const stranger = await addAccount(store)
      const [foreign, test] = [draft(stranger), draft(account, { mode: 'test' })]
      await publish(store, foreign, test)
      const [own] = await feed(store, account, 1)
      await leaseAndSettle(store)
      for (const id of [foreign.id, test.id, createId('evt'), 'evt_none'])
        expect(await resend(store, subscription, id)).toBe('unknown')
      expect(await resend(store, { ...subscription, accountId: stranger.id }, own)).toBe('unknown')
      expect(await resend(store, { ...subscription, mode: 'test' }, own)).toBe('unknown')
      await disable(store, subscription)
      expect(await resend(store, subscription, own)).toBe('disabled')
      await remove(store, subscription)
      expect(await resend(store, subscription, own)).toBe('unknown')
      expect(await leaseDue(store)).toEqual([])
    })

    it('makes no further attempt when the attempt in flight succeeds', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await leaseAndSettle(store, { retries: [retryOf(event!, { delayMs: 1000 })] })
      await advance(1000)
      const lane = await leaseLane(store)
      expect(await resend(store, subscription, event)).toBe('hastened')
      await settleLane(store, lane, {
        attempts: [attemptOf(event!, { outcome: 'delivered', number: 2 })],
        ended: [event!],
      })
      // A store may lease the lane once more, but only without deliveries.
      for (const { deliveries } of await leaseDue(store)) expect(deliveries).toEqual([])
      expect(await statesOf(store, subscription, [event!])).toEqual(['delivered'])
    })

    it.for(['failed', 'exhausted'] as const)(
      'makes another attempt when the attempt in flight ends as %s',
      async (outcome, { store, advance }) => {
        const { account, subscription } = await addSubscriber(store)
        const [event] = await feed(store, account, 1)
        await leaseAndSettle(store, { retries: [retryOf(event!, { delayMs: 1000 })] })
        await advance(1000)
        const lane = await leaseLane(store)
        expect(await resend(store, subscription, event)).toBe('hastened')
        const attempts = [attemptOf(event!, { outcome, number: 2 })]
        await settleLane(
          store,
          lane,
          outcome === 'failed'
            ? { attempts, retries: [retryOf(event!, { attempts: 2, delayMs: 600_000 })] }
            : { attempts, ended: [event!] },
        )
        const again = await leaseLane(store)
        expect(eventIds(again)).toEqual([event])
        expect(await statesOf(store, subscription, [event!])).toEqual(['retrying'])
        // A resend leads to one immediate attempt. After that, the delivery's retry schedule applies.
        const next = { attempts: [attemptOf(event!, { number: 3 })], retries: [retryOf(event!, { attempts: 3 })] }
        await settleLane(store, again, next)
        expect(await leaseDue(store)).toEqual([])
      },
    )

    describe('while other retries are due', () => {
      it('leases the resent delivery first, and shows the time of the resend as the time of its next attempt', async ({
        store,
        advance,
      }) => {
        const { account, subscription } = await addSubscriber(store)
        const [due, resent] = await feed(store, account, 2)
        await leaseAndSettle(store, {
          retries: [retryOf(due!, { delayMs: 1000 }), retryOf(resent!, { delayMs: 600_000 })],
        })
        await advance(300_000)
        await resend(store, subscription, resent)
        const nextAttempt = async (event: string | undefined): Promise<number> =>
          (await store.deliveryLog.find(subscription, event!))?.nextAttemptAt?.getTime() ?? Number.NaN
        const waited = (await nextAttempt(resent)) - (await nextAttempt(due))
        expect(waited).toBeGreaterThanOrEqual(299_000)
        expect(waited).toBeLessThan(400_000)
        expect(eventIds(await leaseLane(store))).toEqual([resent, due])
      })

      it('puts a resent delivery ahead of other retries until it is attempted, but not after that attempt', async ({
        store,
        advance,
      }) => {
        const { account, subscription } = await addSubscriber(store)
        const [due, resent] = await feed(store, account, 2)
        const waiting = [retryOf(due!, { delayMs: 0 }), retryOf(resent!, { delayMs: 600_000 })]
        await leaseAndSettle(store, { retries: waiting })
        await advance(1)
        await resend(store, subscription, resent)
        const aborted = await leaseLane(store)
        await settleLane(store, aborted, {
          retries: [retryOf(due!, { delayMs: 0 }), retryOf(resent!, { delayMs: 0 })],
        })
        await advance(1)
        const again = await leaseLane(store)
        expect(eventIds(again)).toEqual([resent, due])
        await settleLane(store, again, {
          attempts: [attemptOf(resent!, { number: 2 })],
          retries: [retryOf(resent!, { attempts: 2, delayMs: 2000 }), retryOf(due!, { delayMs: 1000 })],
        })
        await advance(2000)
        expect(eventIds(await leaseLane(store))).toEqual([due, resent])
      })

      it('leases the resent delivery before a range that was resent earlier, and leaves room for new events', async ({
        store,
        advance,
      }) => {
        const { account, subscription } = await addSubscriber(store)
        const ids = await feed(store, account, 8)
        const attempts = ids.map((id) => attemptOf(id, { outcome: 'exhausted' }))
        await leaseAndSettle(store, { attempts, ended: ids })
        const range = { states: ['exhausted' as const], from: new Date(0), to: undefined, after: undefined, limit: 7 }
        expect(await store.deliveryLog.resendRange(subscription, range, ENTRY)).toMatchObject({ resent: 7 })
        await advance(1)
        expect(await resend(store, subscription, ids[7])).toBe('scheduled')
        await advance(1)
        const fresh = await feed(store, account, 3)
        const lane = await leaseLane(store, { perLane: 6 })
        expect(eventIds(lane)).toEqual([ids[7], ids[0], ids[1], ...fresh])
      })

      it('keeps a delivery waiting while an earlier event of its subject has not ended', async ({ store }) => {
        const { account, subscription } = await addSubscriber(store)
        await setOrdering(store, subscription, 'subject')
        const [first, waiting] = await feed(store, account, 2)
        await leaseAndSettle(store, {
          retries: [retryOf(first!, { delayMs: 600_000 }), retryOf(waiting!, { attempts: 0, delayMs: undefined })],
        })
        expect(await resend(store, subscription, waiting)).toBe('pending')
        expect(await resend(store, subscription, first)).toBe('hastened')
        expect(eventIds(await leaseLane(store))).toEqual([first])
      })
    })

    describe('while the breaker is open', () => {
      const paused = { succeeded: false, breakerFailures: 5, failedAttempts: 1, pauseMs: 60_000 }

      it('probes with the resent deliveries, in the order of their resends, and then with other due deliveries', async ({
        store,
        advance,
      }) => {
        const { account, subscription } = await addSubscriber(store)
        const [due, retrying, exhausted, last] = await feed(store, account, 4)
        await leaseAndSettle(store, {
          ...paused,
          attempts: [attemptOf(exhausted!, { outcome: 'exhausted' })],
          ended: [exhausted!],
          retries: [
            retryOf(due!, { delayMs: 1000 }),
            retryOf(retrying!, { delayMs: 600_000 }),
            retryOf(last!, { delayMs: 2000 }),
          ],
        })
        await advance(5000)
        const requests = [exhausted, retrying, exhausted]
        for (const event of requests) {
          await resend(store, subscription, event)
          await advance(5)
        }
        for (const event of [exhausted, retrying, due, last]) {
          const probe = await leaseLane(store)
          expect(eventIds(probe)).toEqual([event])
          const retries = [retryOf(event!, { delayMs: 600_000 })]
          await settleLane(store, probe, { ...paused, pauseMs: 0, attempts: [attemptOf(event!)], retries })
        }
      })

      it('leases the lane at once, with only one delivery, when a pending delivery is resent', async ({ store }) => {
        const { account, subscription } = await addSubscriber(store)
        const [failed, , last] = await feed(store, account, 3)
        await leaseAndSettle(store, { ...paused, settledThrough: 1, retries: [retryOf(failed!, { delayMs: 600_000 })] })
        expect(await leaseDue(store)).toEqual([])
        expect(await resend(store, subscription, last)).toBe('pending')
        expect((await leaseLane(store)).deliveries).toHaveLength(1)
      })

      it('leases the lane again at once if a delivery is resent during a failing probe, then pauses the lane', async ({
        store,
        advance,
      }) => {
        const { account, subscription } = await addSubscriber(store)
        const [event] = await feed(store, account, 1)
        await leaseAndSettle(store, { ...paused, retries: [retryOf(event!, { delayMs: 60_000 })] })
        await advance(60_000)
        const probe = await leaseLane(store)
        expect(await resend(store, subscription, event)).toBe('hastened')
        const retries = [retryOf(event!, { delayMs: 600_000 })]
        await settleLane(store, probe, { ...paused, attempts: [attemptOf(event!)], retries })
        const next = await leaseLane(store)
        expect(eventIds(next)).toEqual([event])
        await settleLane(store, next, { ...paused, attempts: [attemptOf(event!)], retries })
        expect(await leaseDue(store)).toEqual([])
      })
    })
  })
}
