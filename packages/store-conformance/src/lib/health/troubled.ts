import { REPLACES } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed } from '../arranging/arrange.ts'
import { attemptOf, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, enable } from '../arranging/subscription-acts.ts'

const MINUTE_MS = 60_000
const REQUEST = {
  owner: undefined,
  limit: 10,
  reasons: ['gone', 'failing', 'key'],
  latelyMs: 60 * MINUTE_MS,
  lateMs: MINUTE_MS,
} as const

export function describeTroubled(it: StoreIt): void {
  describe('subscriptions in trouble', () => {
    it('include failing subscriptions of all accounts, with their health, until an attempt succeeds', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      expect(await store.health.troubled(REQUEST)).toEqual([])
      const failed = { succeeded: false, breakerFailures: 1, failedAttempts: 1 }
      await leaseAndSettle(store, {
        ...failed,
        attempts: [attemptOf(event!)],
        retries: [retryOf(event!, { delayMs: 0 })],
      })
      const other = await addSubscription(store, await addKey(store, await addAccount(store), { mode: 'test' }))
      expect(other.mode).toBe('test')
      expect(await store.health.troubled(REQUEST)).toEqual([await store.health.findWithHealth(subscription)])
      await leaseAndSettle(store, { attempts: [attemptOf(event!, { outcome: 'delivered' })], ended: [event!] })
      expect(await store.health.troubled(REQUEST)).toEqual([])
    })

    it('include only the worst of each kind if there are more than the limit', async ({ store, advance }) => {
      const { account, key, subscription: first } = await addSubscriber(store)
      const failed = { succeeded: false, breakerFailures: 1, failedAttempts: 1 }
      const fail = async (): Promise<void> => {
        for (const lane of await leaseDue(store))
          await settleLane(store, lane, {
            ...failed,
            attempts: lane.deliveries.map(({ eventId }) => attemptOf(eventId)),
            retries: lane.deliveries.map(({ eventId }) => retryOf(eventId, { delayMs: 600_000 })),
          })
      }
      await feed(store, account, 1)
      await fail()
      await advance(1_000)
      const { account: second } = await addSubscriber(store)
      await feed(store, second, 1)
      await fail()
      expect(await store.health.troubled(REQUEST)).toHaveLength(2)
      expect(await store.health.troubled({ ...REQUEST, limit: 1 })).toMatchObject([{ id: first.id }])

      const [gone, revoked] = [await addSubscription(store, key), await addSubscription(store, key)]
      await disable(store, gone, 'gone')
      await advance(1_000)
      await disable(store, revoked, 'key')
      const found = await store.health.troubled({ ...REQUEST, limit: 1 })
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set([first.id, revoked.id]))
    })

    it('include subscriptions that were disabled recently, unless a person disabled them', async ({
      store,
      advance,
    }) => {
      const { key, subscription } = await addSubscriber(store)
      const own = await addSubscription(store, key)
      await disable(store, own, 'account', REPLACES.account)
      await disable(store, subscription, 'gone')
      const [found, ...others] = await store.health.troubled(REQUEST)
      expect(others).toEqual([])
      expect(found).toMatchObject({ id: subscription.id, disabledReason: 'gone' })
      expect(found?.health.disabledAt).toBeInstanceOf(Date)
      await advance(REQUEST.latelyMs + MINUTE_MS)
      expect(await store.health.troubled(REQUEST)).toEqual([])
      await enable(store, subscription)
      expect((await store.health.findWithHealth(subscription))?.health.disabledAt).toBeUndefined()
    })

    it('include subscriptions whose due work is late, or whose lease has expired', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      await advance(MINUTE_MS / 2)
      expect(await store.health.troubled(REQUEST)).toEqual([])
      await advance(MINUTE_MS)
      expect(await store.health.troubled(REQUEST)).toMatchObject([{ id: subscription.id }])
      await feed(store, account, 1)
      await leaseLane(store, { leaseMs: 1_000 })
      expect((await store.health.findWithHealth(subscription))?.health.nextAttemptAt).toBeUndefined()
      await advance(2_000)
      const [lapsed] = await store.health.troubled(REQUEST)
      expect(lapsed).toMatchObject({ id: subscription.id, health: { nextAttemptAt: expect.any(Date) } })
    })

    it('include leased subscriptions whose oldest pending event is late', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      await leaseLane(store, { leaseMs: 60 * MINUTE_MS })
      expect(await store.health.troubled(REQUEST)).toEqual([])
      await advance(2 * MINUTE_MS)
      expect(await store.health.troubled(REQUEST)).toMatchObject([{ id: subscription.id }])
    })

    it('of one account and mode include no others, and those that were disabled for any of the reasons', async ({
      store,
      advance,
    }) => {
      const { account, key, subscription: failing } = await addSubscriber(store)
      const { account: stranger, subscription: foreign } = await addSubscriber(store)
      const waiting = await addSubscription(store, key)
      const off = await addSubscription(store, key)
      for (const each of [account, stranger]) await feed(store, each, 1)
      for (const lane of await leaseDue(store)) {
        const failed = { succeeded: false, breakerFailures: 1, failedAttempts: 1 }
        const [event] = lane.deliveries
        if (lane.lease.id === waiting.id) continue
        await settleLane(store, lane, {
          ...failed,
          attempts: [attemptOf(event!.eventId)],
          retries: [retryOf(event!.eventId, { delayMs: 600_000 })],
        })
      }
      await disable(store, off, 'platform')
      await advance(2 * MINUTE_MS)
      const all = await store.health.troubled(REQUEST)
      expect(new Set(all.map(({ id }) => id))).toEqual(new Set([failing.id, foreign.id, waiting.id]))
      const owner = { accountId: account.id, mode: 'live' } as const
      const own = await store.health.troubled({ ...REQUEST, owner, reasons: ['gone', 'platform'] })
      expect(new Set(own.map(({ id }) => id))).toEqual(new Set([failing.id, waiting.id, off.id]))
      expect(own.find(({ id }) => id === failing.id)).toEqual(await store.health.findWithHealth(failing))
      expect(await store.health.troubled({ ...REQUEST, owner: { ...owner, mode: 'test' } })).toEqual([])
    })
  })
}
