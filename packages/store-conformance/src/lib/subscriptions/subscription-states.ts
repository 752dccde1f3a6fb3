import { createId } from '@callboard/core'
import { ENABLES_FROM } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addKey, addSubscriber, addSubscription, feed, publish } from '../arranging/arrange.ts'
import { draft, ENTRY, newSubscription } from '../arranging/inputs.ts'
import { eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { create, disable, enable, remove, rotateSecret } from '../arranging/subscription-acts.ts'

export function describeSubscriptionStates(it: StoreIt): void {
  describe('disabling, enabling and removing subscriptions', () => {
    it('removes a subscription permanently: it is never leased, and creating it again creates a new one', async ({
      store,
    }) => {
      const { account, key } = await addSubscriber(store, { subscription: { eventTypes: ['order.refunded'] } })
      const input = newSubscription(key)
      await create(store, input)
      await feed(store, account, 1)
      expect(await remove(store, input)).toBe('changed')
      expect(await leaseDue(store)).toEqual([])
      await feed(store, account, 1)
      expect(await leaseDue(store)).toEqual([])
      expect(await store.subscriptions.find(input)).toBeUndefined()
      const id = createId('sub')
      const another = await create(store, { ...input, id, sealedSecret: 'sealed-2' })
      expect(another).toMatchObject({ outcome: 'created', subscription: { id, secrets: [{ sealed: 'sealed-2' }] } })
    })

    it('removes a subscription only if its source is among the given sources', async ({ store }) => {
      const { key, subscription } = await addSubscriber(store)
      const dashboard = await addSubscription(store, key, {
        source: 'dashboard',
        identity: undefined,
        confirmedBy: undefined,
        personalData: true,
      })
      expect(await remove(store, subscription, ['dashboard'])).toBe('unknown')
      expect(await remove(store, dashboard)).toBe('unknown')
      expect(await store.subscriptions.find(dashboard)).toEqual(dashboard)
      expect(await remove(store, dashboard, ['api', 'dashboard'])).toBe('changed')
    })

    it('stops delivering to a disabled subscription, and keeps the reason unless a new reason replaces it', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      expect(await disable(store, subscription, 'gone', [])).toBe('changed')
      expect(await disable(store, subscription, 'failing', [])).toBe('unchanged')
      expect(await store.subscriptions.find(subscription)).toMatchObject({ state: 'disabled', disabledReason: 'gone' })
      expect(await disable(store, subscription, 'account', ['failing'])).toBe('unchanged')
      expect(await store.subscriptions.find(subscription)).toMatchObject({ disabledReason: 'gone' })
      expect(await disable(store, subscription, 'platform', ['failing', 'gone'])).toBe('changed')
      expect(await store.subscriptions.find(subscription)).toMatchObject({ disabledReason: 'platform' })
      await feed(store, account, 1)
      expect(await leaseDue(store)).toEqual([])
    })

    it('after enabling, delivers only new events, and none that were pending before', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      const [retried] = await feed(store, account, 2)
      const lane = await leaseLane(store)
      await settleLane(store, lane, {
        settledThrough: lane.settledThrough + 1,
        retries: [retryOf(retried!, { delayMs: 1000 })],
        breakerFailures: 5,
        succeeded: false,
        failedAttempts: 1,
        pauseMs: 300_000,
      })
      await disable(store, subscription)
      await feed(store, account, 1)
      await publish(store, draft(account))
      expect(await enable(store, subscription)).toBe('changed')
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      await advance(5000)
      const ids = await feed(store, account, 2)
      const fresh = await leaseLane(store)
      expect(eventIds(fresh)).toEqual(ids)
      expect(fresh.breakerFailures).toBe(0)
    })

    it('enables a subscription only if it was disabled for one of the given reasons', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      await disable(store, subscription, 'account', [])
      for (const from of [[], ['gone', 'failing', 'key', 'platform']] as const) {
        expect(await enable(store, subscription, from)).toBe('refused')
        expect(await store.subscriptions.find(subscription)).toMatchObject({ disabledReason: 'account' })
      }
      await feed(store, account, 1)
      expect(await leaseDue(store)).toEqual([])
      expect(await enable(store, subscription, ['account'])).toBe('changed')
      expect(await enable(store, subscription, [])).toBe('unchanged')
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
    })

    it('delivers again if a subscription whose key was revoked is enabled with another key', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store)
      await store.keys.revokeKey(account.id, key.id, ENTRY)
      const other = await addKey(store, account)
      expect(await enable(store, subscription, [], other.id)).toBe('refused')
      expect(await store.subscriptions.find(subscription)).toMatchObject({ confirmedBy: key.id })
      expect(await enable(store, subscription, ENABLES_FROM.platform, other.id)).toBe('changed')
      expect(await store.subscriptions.find(subscription)).toMatchObject({ state: 'active', confirmedBy: other.id })
      const ids = await feed(store, account, 1)
      const lane = await leaseLane(store)
      expect([eventIds(lane), lane.standing.deliverable]).toEqual([ids, true])
    })

    it('signs with both secrets during the overlap of a rotation', async ({ store, advance }) => {
      const { account, subscription } = await addSubscriber(store)
      expect(await rotateSecret(store, subscription, 'sealed-2', 60_000)).toBe('changed')
      expect((await store.subscriptions.find(subscription))?.secrets).toEqual([
        { sealed: 'sealed-2', expiresAt: undefined },
        { sealed: 'sealed-1', expiresAt: expect.any(Date) },
      ])
      await feed(store, account, 1)
      expect((await leaseAndSettle(store)).secrets.map(({ sealed }) => sealed)).toEqual(['sealed-2', 'sealed-1'])
      await advance(60_000)
      await feed(store, account, 1)
      expect((await leaseLane(store)).secrets.map(({ sealed }) => sealed)).toEqual(['sealed-2'])
    })

    it('rotates a secret exactly once, however many concurrent calls name it as the current secret', async ({
      store,
    }) => {
      const { subscription } = await addSubscriber(store)
      const asked = ['sealed-2', 'sealed-3', 'sealed-4'].map((sealed) =>
        rotateSecret(store, subscription, sealed, 60_000, 'sealed-1'),
      )
      expect((await Promise.all(asked)).sort()).toEqual(['changed', 'refused', 'refused'])
      const sealed = (await store.subscriptions.find(subscription))?.secrets.map((secret) => secret.sealed)
      expect(sealed).toEqual([expect.stringMatching(/^sealed-[234]$/), 'sealed-1'])
    })
  })
}
