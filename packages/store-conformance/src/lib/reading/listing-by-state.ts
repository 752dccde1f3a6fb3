import type { DeliveryState } from '@callboard/core'
import type { Store, SubscriptionRef } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, feed, feedDrafts, publish } from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { attemptOf, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import { EVENTS_OF_AN_HOUR, HOUR_MS, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, enable, revise, skipToNow } from '../arranging/subscription-acts.ts'
import { listed } from './listing.ts'

const STATES = ['pending', 'retrying', 'delivered', 'exhausted', 'skipped', 'expired', 'disabled'] as const

/**
 * Returns the event ids of all the subscription's deliveries, by state. Also lists the deliveries with each filter by
 * state and type. Expects each filtered list to be the matching part of the whole list, in the same order.
 */
export async function partsOf(
  store: Store<unknown>,
  ref: SubscriptionRef,
  { types, limits }: { readonly types: readonly (string | undefined)[]; readonly limits: readonly number[] } = {
    types: [undefined, 'order.paid', 'order.refunded'],
    limits: [1, 3, 100],
  },
): Promise<Map<DeliveryState, string[]>> {
  const all = await listed(store, ref)
  const parts = new Map<DeliveryState, string[]>()
  for (const state of STATES) {
    const part = all.filter((delivery) => delivery.state === state)
    parts.set(
      state,
      part.map(({ eventId }) => eventId),
    )
    for (const type of types)
      for (const limit of limits) {
        const filter = { state, limit, ...(type === undefined ? {} : { type }) }
        expect(await listed(store, ref, filter), JSON.stringify(filter)).toEqual(
          part.filter((delivery) => type === undefined || delivery.type === type),
        )
      }
  }
  return parts
}

export function describeListingByState(it: StoreIt): void {
  describe('lists of deliveries in one state', () => {
    it('contain a delivery that was skipped before its event had a position, even if its type was then dropped', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store, {
        subscription: { eventTypes: ['order.paid', 'order.refunded'] },
      })
      const refund = draft(account, { type: 'order.refunded' })
      await publish(store, refund)
      await skipToNow(store, subscription)
      await revise(store, subscription, { eventTypes: ['order.paid'] })
      await store.deliveries.sequence(10)
      expect((await partsOf(store, subscription)).get('skipped')).toEqual([refund.id])
    })

    it('contain exactly the deliveries that the unfiltered list shows in that state', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store, {
        subscription: { eventTypes: ['order.paid', 'order.refunded'] },
      })
      const waiting = await feed(store, account, 2)
      const refund = draft(account, { type: 'order.refunded' })
      await feedDrafts(store, refund)
      await publish(store, draft(account))
      // The skip below ends three kinds of deliveries: pending in the feed, retrying, and not sequenced yet.
      await leaseAndSettle(store, { settledThrough: 1, retries: [retryOf(waiting[0]!)] })
      await skipToNow(store, subscription)
      await store.deliveries.sequence(10)
      expect(await leaseDue(store)).toEqual([])
      await store.deliveryLog.resend(subscription, waiting[1]!, ENTRY)
      await leaseAndSettle(store, {
        attempts: [attemptOf(waiting[1]!, { outcome: 'delivered' })],
        ended: [waiting[1]!],
      })
      const [exhausted, retried, hastened, sent] = await feed(store, account, 4)
      await leaseAndSettle(store, {
        attempts: [
          attemptOf(exhausted!, { outcome: 'exhausted' }),
          attemptOf(retried!),
          attemptOf(hastened!),
          attemptOf(sent!, { outcome: 'delivered' }),
        ],
        retries: [retryOf(retried!), retryOf(hastened!, { attempts: 0, delayMs: undefined })],
        ended: [exhausted!, sent!],
      })
      const [pending] = await feed(store, account, 1)
      const parts = await partsOf(store, subscription)
      expect(parts.get('exhausted')).toEqual([exhausted])
      expect(parts.get('retrying')).toEqual([retried])
      expect(parts.get('pending')).toEqual([pending, hastened])
      expect(parts.get('delivered')).toEqual([sent, waiting[1]])
      expect(parts.get('skipped')).toHaveLength(3)
      expect(parts.get('disabled')).toEqual([])
      await store.deliveryLog.resend(subscription, exhausted!, ENTRY)
      expect((await partsOf(store, subscription)).get('exhausted')).toEqual([])

      await disable(store, subscription)
      const stopped = (await partsOf(store, subscription)).get('disabled')
      expect(stopped).toEqual([pending, hastened, retried, exhausted])
      const unsequenced = draft(account)
      await publish(store, unsequenced)
      await enable(store, subscription)
      await store.deliveries.sequence(10)
      expect((await partsOf(store, subscription)).get('disabled')).toEqual([unsequenced.id, ...(stopped ?? [])])

      await advance(2 * HOUR_MS)
      const fresh = await feed(store, account, 2)
      const lane = await leaseLane(store)
      await settleLane(store, lane, { attempts: [attemptOf(fresh[0]!, { outcome: 'gone' })], ended: [fresh[0]!] })
      await retainAll(store, EVENTS_OF_AN_HOUR)
      expect((await partsOf(store, subscription)).get('disabled')).toEqual([fresh[0]])
    })
  })
}
