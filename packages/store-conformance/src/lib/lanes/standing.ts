import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, feedDrafts } from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { LEASE_MS, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove } from '../arranging/subscription-acts.ts'

export function describeStanding(it: StoreIt): void {
  describe('the standing of lanes', () => {
    it('keeps personal data out of a delivery that was attempted without it, whatever the key allows later', async ({
      store,
      advance,
    }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account, { scopes: ['webhooks.read', 'webhooks.write', 'people.read'] })
      await addSubscription(store, key)
      const [first, second] = await feed(store, account, 2)
      const retries = [retryOf(first!, { delayMs: 1000, redacted: true }), retryOf(second!, { delayMs: 1000 })]
      const fresh = await leaseAndSettle(store, { retries })
      expect(fresh.deliveries.map(({ event }) => event?.patch)).toEqual([expect.any(String), expect.any(String)])
      await advance(1000)
      const again = await leaseLane(store)
      const seen = new Map(again.deliveries.map(({ eventId, redacted, event }) => [eventId, [redacted, event?.patch]]))
      expect(seen.get(first!)).toEqual([true, null])
      expect(seen.get(second!)).toEqual([false, expect.any(String)])
    })

    it('includes personal data if the subscription’s key, or the choice in the dashboard, allows it', async ({
      store,
    }) => {
      const dashboard = { source: 'dashboard', identity: undefined, confirmedBy: undefined } as const
      const cases = [
        { key: { scopes: ['webhooks.write'] }, personalData: false },
        { key: { scopes: ['webhooks.write', 'people.read'] }, personalData: true },
        { subscription: { ...dashboard, personalData: true }, personalData: true },
        { key: { scopes: ['people.read'] }, subscription: { ...dashboard, personalData: false }, personalData: false },
      ] as const
      for (const { personalData, ...overrides } of cases) {
        const { account } = await addSubscriber(store, overrides)
        const event = draft(account)
        await feedDrafts(store, event)
        const lane = await leaseLane(store)
        const standing = { deliverable: true, disable: undefined, personalData }
        expect(lane).toMatchObject({ standing, deliveries: [{ event: { patch: personalData ? event.patch : null } }] })
        expect(await store.deliveries.checkLeases([lane.lease])).toEqual([standing])
      }
    })

    it('follows the scope of a subscription’s new key at once', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store, {
        key: { scopes: ['webhooks.write', 'people.read'] },
      })
      const successor = await addKey(store, account, { scopes: ['webhooks.write'] })
      const identity = new Uint8Array(32)
      await remove(store, subscription)
      const { id } = await addSubscription(store, key, { identity })
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      expect(lane).toMatchObject({ lease: { id }, standing: { personalData: true } })
      await addSubscription(store, successor, { identity })
      expect(await store.deliveries.checkLeases([lane.lease])).toEqual([
        { deliverable: true, disable: undefined, personalData: false },
      ])
    })

    it('asks the worker to disable a subscription whose key has expired', async ({ store, advance }) => {
      const account = await addAccount(store)
      const { createdAt } = await addKey(store, account)
      const key = await addKey(store, account, {
        scopes: ['people.read'],
        expiresAt: new Date(createdAt.getTime() + LEASE_MS / 2),
      })
      const subscription = await addSubscription(store, key)
      await feed(store, account, 1)
      const lostKey = { deliverable: false, disable: 'key', personalData: false }
      const early = await leaseLane(store)
      expect(early.standing).toEqual({ deliverable: true, disable: undefined, personalData: true })
      await advance(LEASE_MS / 2)
      expect(await store.deliveries.checkLeases([early.lease])).toEqual([lostKey])
      await advance(LEASE_MS / 2)
      const lane = await leaseLane(store)
      expect(lane.standing).toEqual(lostKey)
      const { accountId, mode, id } = subscription
      const { disabled } = await settleLane(store, lane, {
        settledThrough: lane.settledThrough,
        succeeded: false,
        disable: 'key',
      })
      expect(disabled).toEqual([{ accountId, mode, id, reason: 'key' }])
      expect(await store.subscriptions.find(subscription)).toMatchObject({ state: 'disabled', disabledReason: 'key' })
    })

    it('is returned in the order of the request', async ({ store }) => {
      const { account, key } = await addSubscriber(store)
      const [disabled, removed] = [await addSubscription(store, key), await addSubscription(store, key)]
      const keyless = await addSubscription(store, await addKey(store, account))
      await feed(store, account, 1)
      const lanes = await leaseDue(store)
      await disable(store, disabled)
      await remove(store, removed)
      await store.keys.revokeKey(account.id, keyless.confirmedBy!, ENTRY)
      const stopped = new Set([disabled.id, removed.id, keyless.id])
      for (const asked of [lanes, lanes.toReversed()]) {
        const standings = await store.deliveries.checkLeases(asked.map(({ lease }) => lease))
        expect(standings.map(({ deliverable }) => deliverable)).toEqual(
          asked.map(({ lease }) => !stopped.has(lease.id)),
        )
      }
      expect(await store.deliveries.checkLeases([])).toEqual([])
    })
  })
}
