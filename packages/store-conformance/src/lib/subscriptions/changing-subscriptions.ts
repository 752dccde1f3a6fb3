import type { Account } from '@callboard/core'
import type { Store, SubscriptionRef } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, feed, feedDrafts } from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { attemptOf, eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import { horizons, NOTHING, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, enable, revise, skipToNow } from '../arranging/subscription-acts.ts'
import { listed } from '../reading/listing.ts'

const OWN = { source: 'dashboard', identity: undefined, confirmedBy: undefined, personalData: false } as const

export function describeChangingSubscriptions(it: StoreIt): void {
  describe('changing subscriptions', () => {
    it('changes only the given fields, and removes the description if it is null', async ({ store }) => {
      const { subscription } = await addSubscriber(store, { subscription: { ...OWN, description: 'Bookkeeping' } })
      expect(subscription.description).toBe('Bookkeeping')
      expect(await revise(store, subscription, {})).toEqual(subscription)
      const changes = {
        targetUrl: 'https://hooks.example.com/2',
        eventTypes: ['order.refunded', 'order.paid'],
        personalData: true,
        description: 'Books',
      }
      const changed = { ...subscription, ...changes }
      expect(await revise(store, subscription, changes)).toEqual(changed)
      expect(await store.subscriptions.find(subscription)).toEqual(changed)
      expect(await revise(store, subscription, { description: null })).toEqual({
        ...changed,
        description: undefined,
      })
    })

    it('after a change of types, delivers new events of an added type, and pending events of a removed type', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const [waiting = '', older] = await feedOf(store, account, 'paid', 'refunded')
      await revise(store, subscription, { eventTypes: ['order.refunded'] })
      const [unwanted, wanted = ''] = await feedOf(store, account, 'paid', 'refunded')
      expect(await statesOf(store, subscription)).toEqual({ [waiting]: 'pending', [wanted]: 'pending' })
      expect(await deliverAll(store)).toEqual([waiting, wanted])
      expect(await statesOf(store, subscription)).toEqual({ [waiting]: 'delivered', [wanted]: 'delivered' })

      await revise(store, subscription, { eventTypes: ['order.paid', 'order.refunded'] })
      const both = await feedOf(store, account, 'paid', 'refunded')
      expect(eventIds(await leaseAndSettle(store))).toEqual(both)
      const all = Object.keys(await statesOf(store, subscription))
      expect(all.sort()).toEqual([waiting, wanted, ...both].sort())
      const found = [older, unwanted, waiting].map((id = '') => store.deliveryLog.find(subscription, id))
      expect((await Promise.all(found)).map((delivery) => delivery?.state)).toEqual([undefined, undefined, 'delivered'])
      expect(await leaseDue(store)).toEqual([])
    })

    it('allows resending an event that was sequenced before the subscription asked for its type', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const [older = ''] = await feedOf(store, account, 'refunded')
      await revise(store, subscription, { eventTypes: ['order.refunded'] })
      expect(await store.deliveryLog.resend(subscription, older, ENTRY)).toBe('scheduled')
      expect(eventIds(await leaseAndSettle(store))).toEqual([older])
      expect(Object.keys(await statesOf(store, subscription))).toEqual([older])
    })

    it('leaves a disabled subscription disabled, and uses its new types once it is enabled', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      await disable(store, subscription, 'gone')
      const changes = { eventTypes: ['order.refunded'], targetUrl: 'https://hooks.example.com/2' }
      expect(await revise(store, subscription, changes)).toMatchObject({
        ...changes,
        state: 'disabled',
        disabledReason: 'gone',
      })
      await feedOf(store, account, 'refunded')
      expect(await leaseDue(store)).toEqual([])
      await enable(store, subscription)
      const [, refunded] = await feedOf(store, account, 'paid', 'refunded')
      expect(eventIds(await leaseLane(store))).toEqual([refunded])
    })

    it('sends everything, including retries, to a new target at once, and closes the breaker', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const [retried, fresh] = [draft(account), draft(account)]
      await feedDrafts(store, retried, fresh)
      const lane = await leaseLane(store)
      await settleLane(store, lane, {
        settledThrough: lane.deliveries[0]!.position!,
        retries: [retryOf(retried.id, { delayMs: 3_600_000 })],
        breakerFailures: 9,
        succeeded: false,
        failedAttempts: 9,
        slow: true,
        pauseMs: 3_600_000,
      })
      expect(await leaseDue(store)).toEqual([])
      await revise(store, subscription, { targetUrl: subscription.targetUrl })
      expect(await leaseDue(store)).toEqual([])
      await revise(store, subscription, { targetUrl: 'https://hooks.example.com/2' })
      const again = await leaseLane(store)
      expect(again).toMatchObject({ targetUrl: 'https://hooks.example.com/2', breakerFailures: 0 })
      expect(eventIds(again)).toEqual([retried.id, fresh.id])
    })

    it('leases nothing for a new target when nothing is pending', async ({ store }) => {
      const { subscription } = await addSubscriber(store, { subscription: OWN })
      await revise(store, subscription, { targetUrl: 'https://hooks.example.com/2' })
      expect(await leaseDue(store)).toEqual([])
    })

    it('fences the worker that sends to the old target, and sends its deliveries to the new target', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const event = draft(account)
      await feedDrafts(store, event)
      const lane = await leaseLane(store)
      await revise(store, subscription, { personalData: true, description: 'Books' })
      expect((await store.deliveries.checkLeases([lane.lease]))[0]).toMatchObject({
        deliverable: true,
        personalData: true,
      })
      await revise(store, subscription, { targetUrl: 'https://hooks.example.com/2' })
      expect((await store.deliveries.checkLeases([lane.lease]))[0]?.deliverable).toBe(false)
      expect((await settleLane(store, lane)).fenced).toEqual([lane.lease])
      expect(eventIds(await leaseLane(store))).toEqual([event.id])
    })

    it('makes retention expire pending events of a removed type, but not older events of an added type', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      await feedOf(store, account, 'paid', 'refunded')
      await revise(store, subscription, { eventTypes: ['order.refunded'] })
      await advance(60_000)
      expect(await retainAll(store, horizons({ eventsMs: 1000 }))).toEqual({ ...NOTHING, events: 2, expired: 1 })
    })

    it('refuses new types, and changes nothing, while deliveries from before the last change are pending', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const neighbour = await addAccount(store)
      const change = async (...eventTypes: string[]) => {
        await feed(store, neighbour, 1)
        return revise(store, subscription, { eventTypes, description: eventTypes.join() })
      }
      await change('order.refunded', 'order.moved')
      await change('order.paid')
      await feed(store, account, 1)
      const before = await change('order.refunded', 'order.moved')
      const elsewhere = { targetUrl: 'https://hooks.example.com/2', description: 'Elsewhere' }
      expect(await revise(store, subscription, { ...elsewhere, eventTypes: ['order.paid'] })).toBe('refused')
      expect(await store.subscriptions.find(subscription)).toEqual(before)
      expect(await revise(store, subscription, elsewhere)).toMatchObject(elsewhere)
      expect((await leaseAndSettle(store)).deliveries).toHaveLength(1)
      expect(await change('order.paid')).toMatchObject({ eventTypes: ['order.paid'] })
    })

    it('accepts new types once those deliveries wait as retries, were skipped, or belong to a disabled subscription', async ({
      store,
    }) => {
      const ways: Record<string, (ref: SubscriptionRef, eventId: string) => Promise<unknown>> = {
        retrying: (_ref, eventId) => leaseAndSettle(store, { retries: [retryOf(eventId, { delayMs: 0 })] }),
        skipped: (ref) => skipToNow(store, ref),
        disabled: (ref) => disable(store, ref, 'account'),
      }
      for (const [state, end] of Object.entries(ways)) {
        const { account, subscription } = await addSubscriber(store, { subscription: OWN })
        const [waiting = ''] = await feed(store, account, 1)
        await revise(store, subscription, { eventTypes: ['order.refunded'] })
        await feedOf(store, account, 'refunded')
        await end(subscription, waiting)
        await revise(store, subscription, { eventTypes: ['order.moved'] })
        expect(await statesOf(store, subscription), state).toMatchObject({ [waiting]: state })
        await enable(store, subscription)
        const moved = await feedOf(store, account, 'moved')
        const sent = state === 'retrying' ? [waiting, ...moved] : moved
        expect(eventIds(await leaseAndSettle(store, { ended: sent })), state).toEqual(sent)
      }
    })

    it('after several changes of types, lists the deliveries that have a record, and no event of a type it lacked', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const of = (...types: string[]) => feedOf(store, account, ...types)
      const change = (type: string) => revise(store, subscription, { eventTypes: [`order.${type}`] })
      const [sent] = await of('paid', 'refunded', 'moved')
      await deliverAll(store)
      const [skipped] = await of('paid')
      await change('refunded')
      const [unwanted, skippedToo] = await of('paid', 'refunded')
      await skipToNow(store, subscription)
      await change('moved')
      const [, , sentToo] = await of('paid', 'refunded', 'moved')
      await deliverAll(store)
      await change('paid')
      const [waiting] = await of('paid', 'moved')

      for (const [state, ids] of [
        [undefined, [waiting, sentToo, skippedToo, skipped, sent]],
        ['pending', [waiting]],
        ['skipped', [skippedToo, skipped]],
        ['delivered', [sentToo, sent]],
      ] as const)
        expect(
          (await listed(store, subscription, state && { state })).map(({ eventId }) => eventId),
          state,
        ).toEqual(ids)
      expect(await store.deliveryLog.find(subscription, unwanted ?? '')).toBe(undefined)
      const range = { states: ['skipped'], from: new Date(0), to: undefined, after: undefined, limit: 100 } as const
      expect(await store.deliveryLog.resendRange(subscription, range, ENTRY)).toMatchObject({ found: { skipped: 2 } })
      expect(eventIds(await leaseAndSettle(store))).toEqual([skipped, skippedToo, waiting])
    })
  })
}

/** Delivers what the one due lane has, with an attempt for each delivery. */
async function deliverAll(store: Store<unknown>): Promise<string[]> {
  const lane = await leaseLane(store)
  const ids = eventIds(lane)
  await settleLane(store, lane, { attempts: ids.map((id) => attemptOf(id, { outcome: 'delivered', status: 200 })) })
  return ids
}

/** Publishes and sequences an event of each type. Returns their ids. */
async function feedOf(store: Store<unknown>, account: Account, ...types: readonly string[]): Promise<string[]> {
  const drafts = types.map((type) => draft(account, { type: `order.${type}` }))
  return feedDrafts(store, ...drafts)
}

async function statesOf(store: Store<unknown>, ref: SubscriptionRef): Promise<Record<string, string>> {
  return Object.fromEntries((await listed(store, ref)).map(({ eventId, state }) => [eventId, state]))
}
