import { createId, type DeliveryRecord, type DeliveryState } from '@callboard/core'
import type { Published, Store, SubscriptionRef } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import {
  addAccount,
  addKey,
  addSubscriber,
  addSubscription,
  feed,
  feedDrafts,
  pagesOf,
  publish,
} from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { attemptOf, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { remove } from '../arranging/subscription-acts.ts'
import { healthOf } from '../health/health-of.ts'

const HOUR_MS = 3_600_000

/** Lists all deliveries of a subscription, page by page. */
export async function listed(
  store: Store<unknown>,
  ref: SubscriptionRef,
  query: {
    readonly state?: DeliveryState
    readonly type?: string
    readonly published?: Published
    readonly limit?: number
  } = {},
): Promise<DeliveryRecord[]> {
  const { state, type, published, limit = 100 } = query
  const pages = await pagesOf((before?: number) =>
    store.deliveryLog.page(ref, { state, type, published, before, limit }),
  )
  for (const { deliveries } of pages) expect(deliveries.length).toBeLessThanOrEqual(limit)
  return pages.flatMap(({ deliveries }) => deliveries)
}

/** Returns the state of each event's delivery to a subscription. */
export async function statesOf(
  store: Store<unknown>,
  ref: SubscriptionRef,
  events: readonly string[],
): Promise<(DeliveryState | undefined)[]> {
  const deliveries = await listed(store, ref)
  return events.map((event) => deliveries.find(({ eventId }) => eventId === event)?.state)
}

export function describeListing(it: StoreIt): void {
  describe('lists of deliveries', () => {
    it('show the state of each delivery, newest first', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const [delivered, failed, exhausted] = await feed(store, account, 3)
      await leaseAndSettle(store, {
        attempts: [
          attemptOf(delivered!, { outcome: 'delivered', status: 204 }),
          attemptOf(failed!, { status: undefined, reason: 'timeout', number: 1 }),
          attemptOf(exhausted!, { outcome: 'exhausted', status: 500, number: 10 }),
        ],
        retries: [retryOf(failed!, { attempts: 1 })],
        ended: [delivered!, exhausted!],
      })
      const [waiting] = await feed(store, account, 1)
      const at = expect.any(Date)
      const ofEvent = { type: 'order.paid', occurredAt: at, subject: { type: 'order', id: expect.any(String) } }
      const common = { subscriptionId: subscription.id, ...ofEvent, nextAttemptAt: undefined }
      expect(await listed(store, subscription)).toEqual([
        { ...common, eventId: waiting, state: 'pending', attempts: 0, lastAttempt: undefined },
        {
          ...common,
          eventId: exhausted,
          state: 'exhausted',
          attempts: 10,
          lastAttempt: { outcome: 'exhausted', status: 500, reason: undefined, at },
        },
        {
          ...common,
          eventId: failed,
          state: 'retrying',
          attempts: 1,
          nextAttemptAt: at,
          lastAttempt: { outcome: 'failed', status: undefined, reason: 'timeout', at },
        },
        {
          ...common,
          eventId: delivered,
          state: 'delivered',
          attempts: 1,
          lastAttempt: { outcome: 'delivered', status: 204, reason: undefined, at },
        },
      ])
    })

    it('continue where a page ended, and can be filtered by state and type', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, {
        subscription: { eventTypes: ['order.paid', 'order.refunded'] },
      })
      const paid = await feed(store, account, 5)
      const refunds = [1, 2, 3].map(() => draft(account, { type: 'order.refunded' }))
      await feedDrafts(store, ...refunds)
      const refunded = refunds.map(({ id }) => id)
      const all = [...paid, ...refunded].reverse()
      const ids = async (query: Parameters<typeof listed>[2]) =>
        (await listed(store, subscription, query)).map(({ eventId }) => eventId)
      expect(await ids({ limit: 3 })).toEqual(all)
      expect(await ids({ limit: 8 })).toEqual(all)
      expect(await ids({ limit: 2, type: 'order.refunded' })).toEqual([...refunded].reverse())
      const lane = await leaseLane(store)
      await settleLane(store, lane, { settledThrough: lane.deliveries[3]!.position! })
      expect(await ids({ limit: 1, state: 'delivered' })).toEqual(all.slice(4))
      expect(await ids({ limit: 3, state: 'pending', type: 'order.paid' })).toEqual(paid.slice(4))
      expect(await ids({ state: 'exhausted' })).toEqual([])
    })

    it('can be filtered by when the event was published', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const hourly: string[][] = []
      const times: Date[] = []
      for (let hour = 0; hour < 3; hour++) {
        hourly.push(await feed(store, account, 3))
        const { oldestPendingAt } = await healthOf(store, subscription)
        times.push(new Date(oldestPendingAt!.getTime() - HOUR_MS / 2))
        await leaseAndSettle(store)
        await advance(HOUR_MS)
      }
      const ids = async (query: Parameters<typeof listed>[2]) =>
        (await listed(store, subscription, query)).map(({ eventId }) => eventId)
      const [first = [], second = [], third = []] = hourly.map((events) => [...events].reverse())
      const [, from, to] = times
      for (const limit of [2, 100]) {
        expect(await ids({ published: { from, to }, limit })).toEqual(second)
        expect(await ids({ published: { from, to: undefined }, limit })).toEqual([...third, ...second])
        expect(await ids({ published: { from: undefined, to: from }, limit })).toEqual(first)
      }
      expect(await ids({ published: { from, to }, state: 'delivered' })).toEqual(second)
      expect(await ids({ published: { from, to }, state: 'exhausted' })).toEqual([])
    })

    it('contain no event that is older than the subscription or of another type, account or mode', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      await feed(store, account, 2)
      const unsequenced = draft(account)
      await publish(store, unsequenced)
      const late = await addSubscription(store, key)
      const other = draft(account, { type: 'order.refunded' })
      await publish(store, other, draft(account, { mode: 'test' }), draft(await addAccount(store)))
      const [fresh] = await feed(store, account, 1)
      expect((await listed(store, late)).map(({ eventId }) => eventId)).toEqual([fresh])
      expect(await listed(store, subscription)).toHaveLength(4)
      expect(await listed(store, { ...subscription, mode: 'test' })).toEqual([])
      expect(await listed(store, { ...subscription, accountId: (await addAccount(store)).id })).toEqual([])
      expect(await listed(store, { ...subscription, id: createId('sub') })).toEqual([])
      await remove(store, subscription)
      expect(await listed(store, subscription)).toEqual([])
    })

    it('show the deliveries of an event to all its subscriptions, sequenced or not', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const second = await addSubscription(store, key)
      await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      const event = draft(account)
      await publish(store, event)
      await addSubscription(store, key)
      const ref = { accountId: account.id, mode: 'live', eventId: event.id } as const
      const all = { state: undefined, before: undefined, limit: 100 }
      const states = async () =>
        (await store.deliveryLog.pageOfEvent(ref, all)).deliveries.map(({ subscriptionId, state }) => [
          subscriptionId,
          state,
        ])
      const newestFirst = [subscription.id, second.id].sort().reverse()
      expect(await states()).toEqual(newestFirst.map((id) => [id, 'pending']))
      await store.deliveries.sequence(10)
      const [lane] = await leaseDue(store, { lanes: 1, perLane: 1 })
      await settleLane(store, lane!, { attempts: [attemptOf(event.id, { outcome: 'delivered' })], ended: [event.id] })
      expect(await states()).toEqual(newestFirst.map((id) => [id, id === lane!.lease.id ? 'delivered' : 'pending']))
      const first = await store.deliveryLog.pageOfEvent(ref, { ...all, limit: 1 })
      expect(first.deliveries).toMatchObject([{ subscriptionId: newestFirst[0] }])
      const rest = await store.deliveryLog.pageOfEvent(ref, { ...all, limit: 1, before: first.next })
      expect(rest).toMatchObject({ deliveries: [{ subscriptionId: newestFirst[1] }], next: undefined })
      expect((await store.deliveryLog.pageOfEvent(ref, { ...all, state: 'delivered' })).deliveries).toHaveLength(1)
      expect((await store.deliveryLog.pageOfEvent({ ...ref, mode: 'test' }, all)).deliveries).toEqual([])
    })

    it('agree with what find returns for each event and subscription', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const deaf = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      const [delivered, failed] = await feed(store, account, 2)
      await leaseAndSettle(store, {
        attempts: [attemptOf(delivered!, { outcome: 'delivered', status: 204 }), attemptOf(failed!)],
        retries: [retryOf(failed!)],
        ended: [delivered!],
      })
      const find = (event: string, ref: SubscriptionRef = subscription) => store.deliveryLog.find(ref, event)
      const [newest, oldest] = await listed(store, subscription)
      expect([await find(failed!), await find(delivered!)]).toEqual([newest, oldest])
      expect([newest!.state, oldest!.state]).toEqual(['retrying', 'delivered'])
      const unsequenced = draft(account)
      await publish(store, unsequenced)
      expect(await find(unsequenced.id)).toMatchObject({ eventId: unsequenced.id, state: 'pending', attempts: 0 })
      expect(await find(failed!, deaf)).toBeUndefined()
      await store.deliveryLog.resend(deaf, failed!, ENTRY)
      expect(await find(failed!, deaf)).toMatchObject({ subscriptionId: deaf.id, state: 'pending' })
      const stranger = await addAccount(store)
      for (const [ref, event] of [
        [{ ...subscription, mode: 'test' }, failed!],
        [{ ...subscription, accountId: stranger.id }, failed!],
        [{ ...subscription, id: createId('sub') }, failed!],
        [subscription, createId('evt')],
        [{ ...subscription, id: 'sub_1' }, failed!],
        [subscription, "evt_'"],
      ] as const)
        expect(await find(event, ref)).toBeUndefined()
      await remove(store, subscription)
      expect(await find(failed!)).toBeUndefined()
    })

    it('show the attempts of an event for all its subscriptions, including removed ones', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store)
      await addSubscription(store, key)
      const [event, other] = await feed(store, account, 2)
      const attempts = [attemptOf(event!), attemptOf(event!, { outcome: 'delivered' })]
      const lanes = await leaseDue(store, { lanes: 2, perLane: 2 })
      for (const [index, lane] of lanes.entries())
        await settleLane(store, lane, { attempts: [attempts[index]!, attemptOf(other!)] })
      await remove(store, subscription)
      const page = { eventId: event!, before: undefined, limit: 10 }
      const newest = await store.deliveryLog.attempts({ accountId: account.id, mode: 'live' }, page)
      expect(newest.map(({ id, subscriptionId }) => [id, subscriptionId])).toEqual([
        [attempts[1]!.id, lanes[1]!.lease.id],
        [attempts[0]!.id, lanes[0]!.lease.id],
      ])
      const before = { ...page, before: newest[0]!.id }
      const older = await store.deliveryLog.attempts({ accountId: account.id, mode: 'live' }, before)
      expect(older.map(({ id }) => id)).toEqual([attempts[0]!.id])
      const stranger = await addAccount(store)
      await addKey(store, stranger)
      expect(await store.deliveryLog.attempts({ accountId: stranger.id, mode: 'live' }, page)).toEqual([])
    })
  })
}
