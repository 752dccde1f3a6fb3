import { createId } from '@callboard/core'
import type { Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, addSubscription, feed, feedDrafts, publish } from '../arranging/arrange.ts'
import { draft, draftsOfOneSubject, ENTRY } from '../arranging/inputs.ts'
import { ALL_ATTEMPTS, attemptOf, leaseAndSettle, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import { EVENTS_OF_AN_HOUR, HOUR_MS, horizons, NOTHING, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { remove } from '../arranging/subscription-acts.ts'

const FIRST_PAGE = { state: undefined, before: undefined, limit: 10 } as const

export function describeRetaining(it: StoreIt): void {
  const readIds = async (store: Store<unknown>, accountId: string): Promise<string[]> => {
    const request = { accountId, mode: 'live', type: undefined, after: undefined } as const
    const { events } = await store.events.pageEvents({ ...request, limit: 100, horizonMs: 1e12, personalData: false })
    return events.map(({ id }) => id)
  }

  describe('retention', () => {
    it('removes old events, but no newer ones, in every account and both modes', async ({ store, advance }) => {
      const accounts = [await addAccount(store), await addAccount(store)]
      const drafts = accounts.flatMap((account) => [draft(account), draft(account, { mode: 'test', type: 'a.b' })])
      await feedDrafts(store, ...drafts)
      await advance(2 * HOUR_MS)
      const fresh = draft(accounts[0]!)
      await feedDrafts(store, fresh)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 4 })
      for (const { accountId, mode, id } of drafts) expect(await store.events.find(accountId, mode, id)).toBeUndefined()
      expect(await readIds(store, accounts[0]!.id)).toEqual([fresh.id])
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual(NOTHING)
    })

    it('works in steps of limited size, each continuing where the previous one ended', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const ids = await feed(store, account, 5)
      await leaseAndSettle(store, { attempts: ids.map((id) => attemptOf(id)) })
      await advance(2 * HOUR_MS)
      const kept = horizons({ eventsMs: HOUR_MS, attemptsMs: HOUR_MS })
      let left = 5
      let removed = 0
      for (let steps = 0; left > 0 && steps < 20; steps++) {
        const { events, attempts } = await store.maintenance.retain(kept, 2)
        expect(Math.max(events, attempts)).toBeLessThanOrEqual(2)
        left -= events
        removed += attempts
        expect(await readIds(store, account.id)).toEqual(ids.slice(5 - left).reverse())
      }
      removed += (await retainAll(store, kept, 2)).attempts
      expect(removed).toBe(5)
      expect(await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).toEqual([])
    })

    it('removes the event of a retry in flight, and then stores no response to that retry', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [id] = await feed(store, account, 1)
      await leaseAndSettle(store, { retries: [retryOf(id!, { delayMs: HOUR_MS })] })
      await advance(2 * HOUR_MS)
      const lane = await leaseLane(store)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual({ ...NOTHING, events: 1 })
      const attempt = attemptOf(id!, { number: 2 })
      await settleLane(store, lane, { attempts: [attempt], ended: [id!] })
      const logged = await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)
      expect(logged).toMatchObject([{ id: attempt.id, status: attempt.status, response: undefined }])
    })

    it('never removes an event that is not sequenced yet', async ({ store, advance }) => {
      const { account } = await addSubscriber(store)
      const [event] = draftsOfOneSubject(account, 1)
      await publish(store, event!)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toEqual(NOTHING)
      await store.deliveries.sequence(10)
      expect((await leaseLane(store)).deliveries).toMatchObject([{ eventId: event!.id, event: { id: event!.id } }])
    })

    it('never removes the counter of a subject', async ({ store, advance }) => {
      const account = await addAccount(store)
      const subject = { type: 'order', id: 'o' }
      await feedDrafts(store, draft(account, { subject }), draft(account, { subject }))
      await advance(2 * HOUR_MS)
      await retainAll(store, EVENTS_OF_AN_HOUR)
      expect(await publish(store, draft(account, { subject }))).toMatchObject([{ subject: { sequence: 3 } }])
    })

    it('keeps an idempotency key as long as its event', async ({ store, advance }) => {
      const account = await addAccount(store)
      const once = { idempotencyKey: 'once', digests: ['k1.x'] }
      await feedDrafts(store, draft(account, once))
      expect(await store.events.publishDrafts([draft(account, once)])).toMatchObject([{ outcome: 'known' }])
      await advance(2 * HOUR_MS)
      await retainAll(store, EVENTS_OF_AN_HOUR)
      expect(await store.events.publishDrafts([draft(account, once)])).toMatchObject([{ outcome: 'stored' }])
    })

    it('reports a removed event as expired when it is resent', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [sent] = await feed(store, account, 1)
      await leaseAndSettle(store, { attempts: [attemptOf(sent!, { outcome: 'delivered' })] })
      const [untried] = await feed(store, account, 1)
      await advance(2 * HOUR_MS)
      const never = draft(account)
      expect(await store.deliveryLog.resend(subscription, never.id, ENTRY)).toBe('unknown')
      await retainAll(store, EVENTS_OF_AN_HOUR)
      for (const id of [sent!, untried!])
        expect(await store.deliveryLog.resend(subscription, id, ENTRY)).toBe('expired')
      expect(await store.deliveryLog.page(subscription, { ...FIRST_PAGE, type: undefined })).toEqual({
        deliveries: [],
        next: undefined,
      })
    })

    it('when it removes an event, also removes a delivery of it that was resent by hand', async ({
      store,
      advance,
    }) => {
      const { account, key } = await addSubscriber(store)
      const [older] = await feed(store, account, 1)
      const late = await addSubscription(store, key)
      expect(await store.deliveryLog.resend(late, older!, ENTRY)).toBe('scheduled')
      expect((await store.deliveryLog.page(late, { ...FIRST_PAGE, type: undefined })).deliveries).toHaveLength(1)
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, EVENTS_OF_AN_HOUR)).toMatchObject({ events: 1 })
      expect((await store.deliveryLog.page(late, { ...FIRST_PAGE, type: undefined })).deliveries).toEqual([])
    })

    it('keeps attempts for `attemptsMs`, and their responses for the shorter `responsesMs`', async ({
      store,
      advance,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const kept = horizons({ attemptsMs: 5 * HOUR_MS, responsesMs: 2 * HOUR_MS })
      const attempts: string[] = []
      for (let hour = 0; hour < 4; hour++) {
        const [event] = await feed(store, account, 1)
        const attempt = attemptOf(event!, { id: createId('att', { now: Date.now() + hour * HOUR_MS }) })
        attempts.push(attempt.id)
        await leaseAndSettle(store, { attempts: [attempt] })
        await advance(HOUR_MS)
      }
      const responses = async () =>
        (await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).map(({ id, response }) => [id, response])
      const log = (...answers: (string | undefined)[]) => attempts.map((id, index) => [id, answers[index]]).reverse()
      expect(await retainAll(store, kept, 1)).toEqual({ ...NOTHING, responses: 3 })
      expect(await responses()).toEqual(log(undefined, undefined, undefined, 'oh no'))
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, kept)).toEqual({ ...NOTHING, attempts: 2, responses: 1 })
      expect(await responses()).toEqual(log(undefined, undefined, undefined, undefined).slice(0, 2))
      expect(await retainAll(store, kept)).toEqual(NOTHING)
    })

    it('keeps the newest responses of each subscription, and all attempts', async ({ store, advance }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const other = await addSubscription(store, key, { eventTypes: ['order.refunded'] })
      const answer = async (response: string | undefined) => {
        const [event] = await feed(store, account, 1)
        await leaseAndSettle(store, { attempts: [attemptOf(event!, { response })] })
        await advance(1000)
      }
      const responses = async () =>
        (await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).map(({ response }) => response ?? '-').join(' ')
      const kept = horizons({ maxResponses: 2 })
      for (const response of ['a', 'b', undefined, 'c', 'd', undefined]) await answer(response)
      const refund = draft(account, { type: 'order.refunded' })
      await feedDrafts(store, refund)
      await leaseAndSettle(store, { attempts: [attemptOf(refund.id)] })
      expect(await retainAll(store, kept, 1)).toEqual({ ...NOTHING, responses: 2 })
      expect(await responses()).toBe('- d c - - -')
      expect(await store.deliveryLog.attempts(other, ALL_ATTEMPTS)).toMatchObject([{ response: 'oh no' }])
      expect(await retainAll(store, kept)).toEqual(NOTHING)
      await answer('e')
      expect(await retainAll(store, kept)).toEqual({ ...NOTHING, responses: 1 })
      expect(await responses()).toBe('e - d - - - -')
    })

    it('deletes a removed subscription together with its log, and no other subscription', async ({
      store,
      advance,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await leaseAndSettle(store, { attempts: [attemptOf(event!), attemptOf(event!, { number: 2 })] })
      await remove(store, subscription)
      const stays = await addSubscription(store, key)
      const kept = horizons({ subscriptionsMs: HOUR_MS })
      expect(await retainAll(store, kept)).toEqual(NOTHING)
      expect(await remove(store, subscription)).toBe('unchanged')
      await advance(2 * HOUR_MS)
      expect(await retainAll(store, kept, 1)).toEqual({ ...NOTHING, attempts: 2, subscriptions: 1 })
      expect(await remove(store, subscription)).toBe('unknown')
      expect(await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).toEqual([])
      expect(await store.subscriptions.find(stays)).toEqual(stays)
    })

    it('lets only one worker run a retention pass in each interval', async ({ store, advance }) => {
      expect(await store.maintenance.claimRetentionRound(2 * HOUR_MS)).toBe(false)
      await advance(HOUR_MS)
      expect(await store.maintenance.claimRetentionRound(2 * HOUR_MS)).toBe(true)
      expect(await store.maintenance.claimRetentionRound(2 * HOUR_MS)).toBe(false)
      // The caller above scheduled the next pass in two hours. A caller with a shorter interval does not wait that
      // long.
      expect(await store.maintenance.claimRetentionRound(HOUR_MS)).toBe(true)
      expect(await store.maintenance.claimRetentionRound(HOUR_MS)).toBe(false)
      await advance(HOUR_MS)
      expect(await store.maintenance.claimRetentionRound(HOUR_MS)).toBe(true)
    })
  })
}
