import { createId, type SubscriptionRecord } from '@callboard/core'
import { ENABLES_FROM, type Store, type SubscriptionRef } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addSubscriber, publish } from './arrange.ts'
import { draft, ENTRY } from './inputs.ts'
import { eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from './lanes.ts'
import type { StoreIt } from './store-it.ts'

const OWN = { source: 'dashboard', identity: undefined, confirmedBy: undefined, personalData: false } as const

export function describeChangingSubscriptions(it: StoreIt): void {
  describe('changing subscriptions', () => {
    it('changes only the given fields, and removes the description if it is null', async ({ store }) => {
      const { subscription } = await addSubscriber(store, { subscription: { ...OWN, description: 'Bookkeeping' } })
      expect(subscription.description).toBe('Bookkeeping')
      expect(await store.subscriptions.change(subscription, {})).toEqual(subscription)
      const changes = {
        targetUrl: 'https://hooks.example.com/2',
        eventTypes: ['order.refunded', 'order.paid'],
        personalData: true,
        description: 'Books',
      }
      const changed = { ...subscription, ...changes }
      expect(await store.subscriptions.change(subscription, changes)).toEqual(changed)
      expect(await store.subscriptions.find(subscription)).toEqual(changed)
      expect(await store.subscriptions.change(subscription, { description: null })).toEqual({
        ...changed,
        description: undefined,
      })
    })

    it('changes no removed subscription, and no subscription of another account or mode', async ({ store }) => {
      const { subscription } = await addSubscriber(store, { subscription: OWN })
      for (const elsewhere of [{ mode: 'test' as const }, { accountId: 'other' }, { id: createId('sub') }, { id: 'x' }])
        expect(await store.subscriptions.change({ ...subscription, ...elsewhere }, { personalData: true })).toBe(
          undefined,
        )
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      await store.subscriptions.remove(subscription, ['dashboard'])
      expect(await store.subscriptions.change(subscription, { eventTypes: ['order.paid'] })).toBe(undefined)
    })

    it('after a change of types, delivers new events of an added type, and pending events of a removed type', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const of = async (type: string): Promise<string> => {
        const event = draft(account, { type })
        await publish(store, event)
        await store.deliveries.sequence(10)
        return event.id
      }
      const waiting = await of('order.paid')
      const older = await of('order.refunded')
      await store.subscriptions.change(subscription, { eventTypes: ['order.refunded'] })
      const unwanted = await of('order.paid')
      const wanted = await of('order.refunded')
      expect(await statesOf(store, subscription)).toEqual({ [waiting]: 'pending', [wanted]: 'pending' })
      expect(eventIds(await leaseAndSettle(store))).toEqual([waiting, wanted])
      expect(await statesOf(store, subscription)).toEqual({ [waiting]: 'delivered', [wanted]: 'delivered' })

      await store.subscriptions.change(subscription, { eventTypes: ['order.paid', 'order.refunded'] })
      const both = [await of('order.paid'), await of('order.refunded')]
      expect(eventIds(await leaseAndSettle(store))).toEqual(both)
      const all = Object.keys(await statesOf(store, subscription))
      expect(all.sort()).toEqual([waiting, wanted, ...both].sort())
      for (const [id, listed] of [
        [older, 0],
        [unwanted, 0],
        [waiting, 1],
      ] as const) {
        const page = await store.deliveryLog.pageOfEvent(
          { ...subscription, eventId: id },
          { state: undefined, before: undefined, limit: 10 },
        )
        expect(page.deliveries).toHaveLength(listed)
      }
      expect(await leaseDue(store)).toEqual([])
    })

    it('allows resending an event that was sequenced before the subscription asked for its type', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const older = draft(account, { type: 'order.refunded' })
      await publish(store, older)
      await store.deliveries.sequence(10)
      await store.subscriptions.change(subscription, { eventTypes: ['order.refunded'] })
      expect(await store.deliveryLog.resend(subscription, older.id, ENTRY)).toBe('scheduled')
      expect(eventIds(await leaseAndSettle(store))).toEqual([older.id])
      expect(Object.keys(await statesOf(store, subscription))).toEqual([older.id])
    })

    it('leaves a disabled subscription disabled, and uses its new types once it is enabled', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      await store.subscriptions.disable(subscription, 'gone', [])
      const changes = { eventTypes: ['order.refunded'], targetUrl: 'https://hooks.example.com/2' }
      expect(await store.subscriptions.change(subscription, changes)).toMatchObject({
        ...changes,
        state: 'disabled',
        disabledReason: 'gone',
      })
      await publish(store, draft(account, { type: 'order.refunded' }))
      await store.deliveries.sequence(10)
      expect(await leaseDue(store)).toEqual([])
      await store.subscriptions.enable(subscription, ENABLES_FROM.platform)
      const [paid, refunded] = [draft(account), draft(account, { type: 'order.refunded' })]
      await publish(store, paid, refunded)
      await store.deliveries.sequence(10)
      expect(eventIds(await leaseLane(store))).toEqual([refunded.id])
    })

    it('sends everything, including retries, to a new target at once, and closes the breaker', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const [retried, fresh] = [draft(account), draft(account)]
      await publish(store, retried, fresh)
      await store.deliveries.sequence(10)
      const lane = await leaseLane(store)
      await settleLane(store, lane, {
        cursor: lane.deliveries[0]!.position!,
        retries: [retryOf(retried.id, { delayMs: 3_600_000 })],
        failures: 9,
        succeeded: false,
        failedAttempts: 9,
        slow: true,
        pauseMs: 3_600_000,
      })
      expect(await leaseDue(store)).toEqual([])
      await store.subscriptions.change(subscription, { targetUrl: subscription.targetUrl })
      expect(await leaseDue(store)).toEqual([])
      await store.subscriptions.change(subscription, { targetUrl: 'https://hooks.example.com/2' })
      const again = await leaseLane(store)
      expect(again).toMatchObject({ targetUrl: 'https://hooks.example.com/2', failures: 0 })
      expect(eventIds(again)).toEqual([retried.id, fresh.id])
    })

    it('leases nothing for a new target when nothing is pending', async ({ store }) => {
      const { subscription } = await addSubscriber(store, { subscription: OWN })
      await store.subscriptions.change(subscription, { targetUrl: 'https://hooks.example.com/2' })
      expect(await leaseDue(store)).toEqual([])
    })

    it('fences the worker that sends to the old target, and sends its deliveries to the new target', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const event = draft(account)
      await publish(store, event)
      await store.deliveries.sequence(10)
      const lane = await leaseLane(store)
      await store.subscriptions.change(subscription, { personalData: true, description: 'Books' })
      expect((await store.deliveries.check([lane.lease]))[0]).toMatchObject({ deliverable: true, personalData: true })
      await store.subscriptions.change(subscription, { targetUrl: 'https://hooks.example.com/2' })
      expect((await store.deliveries.check([lane.lease]))[0]?.deliverable).toBe(false)
      expect((await settleLane(store, lane)).fenced).toEqual([lane.lease])
      expect(eventIds(await leaseLane(store))).toEqual([event.id])
    })

    it('makes retention expire pending events of a removed type, but not older events of an added type', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      await publish(store, draft(account), draft(account, { type: 'order.refunded' }))
      await store.deliveries.sequence(10)
      await store.subscriptions.change(subscription, { eventTypes: ['order.refunded'] })
      await advance(60_000)
      const step = await store.maintenance.retain(
        {
          eventsMs: 1000,
          attemptsMs: 1e12,
          responsesMs: 1e12,
          subscriptionsMs: 1e12,
          auditMs: 1e12,
          maxResponses: 1e9,
        },
        100,
      )
      expect(step).toMatchObject({ events: 2, expired: 1 })
    })

    it('refuses new types, and changes nothing, while too many removed types have pending events', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: OWN })
      const sets = ['a', 'b'].map((set) => Array.from({ length: 50 }, (_, n) => `type.${set}${n}`))
      const change = async (n: number): Promise<SubscriptionRecord | undefined> => {
        await publish(store, draft(account))
        await store.deliveries.sequence(10)
        return store.subscriptions.change(subscription, { eventTypes: sets[n % 2]!, description: `change ${n}` })
      }
      for (let n = 1; n <= 10; n++) await change(n)
      await expect(change(11)).rejects.toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ path: 'eventTypes' }] })
      expect(await store.subscriptions.find(subscription)).toMatchObject({
        eventTypes: sets[0],
        description: 'change 10',
      })
      await store.subscriptions.skipToNow(subscription)
      expect(await change(12)).toMatchObject({ eventTypes: sets[0], description: 'change 12' })
      expect(await change(13)).toMatchObject({ eventTypes: sets[1] })
    })
  })
}

async function statesOf(store: Store<unknown>, ref: SubscriptionRef): Promise<Record<string, string>> {
  const { deliveries } = await store.deliveryLog.page(ref, {
    state: undefined,
    type: undefined,
    before: undefined,
    limit: 100,
  })
  return Object.fromEntries(deliveries.map(({ eventId, state }) => [eventId, state]))
}
