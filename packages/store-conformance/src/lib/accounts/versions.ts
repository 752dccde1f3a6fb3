import type { KeyRecord } from '@callboard/core'
import type { EventDraft } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, publish } from '../arranging/arrange.ts'
import { draft, ENTRY } from '../arranging/inputs.ts'
import { leaseLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { disable, remove, revise } from '../arranging/subscription-acts.ts'

const OLD = '2026-04-01'
const NEW = '2026-10-01'
const _HOUR_MS = 3_600_000

export function describeVersions(it: StoreIt): void {
  const oldKey = { apiVersion: OLD } as const

  /** A draft whose body begins like that of an event in this version. */
  const draftIn = (account: Pick<KeyRecord, 'id'>, version: string): EventDraft => {
    const made = draft(account)
    const head = `{"id":"${made.id}","type":"${made.type}","version":"${version}","account":{"id":"x","name":`
    return { ...made, head }
  }

  describe('format versions', () => {
    it('pins a key to another version, and changes nothing else', async ({ store }) => {
      const { tokenHash, ...key } = await addKey(store, await addAccount(store), oldKey)
      const moved = { ...key, apiVersion: NEW }
      expect(await store.keys.setApiVersion(key.accountId, key.id, NEW, ENTRY)).toEqual(moved)
      expect(await store.keys.find(key.accountId, key.id)).toEqual(moved)
      expect(await store.keys.setApiVersion('nobody', key.id, NEW, ENTRY)).toBeUndefined()
      expect(await store.keys.setApiVersion(key.accountId, 'key_1', NEW, ENTRY)).toBeUndefined()
    })

    it('pins a subscription to another version, which applies to all later leases', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store, { subscription: oldKey })
      await feed(store, account, 1)
      expect((await leaseLane(store))?.apiVersion).toBe(OLD)
      await store.deliveries.releaseLeases({ of: 'all' })
      expect(await revise(store, subscription, { apiVersion: NEW })).toEqual({ ...subscription, apiVersion: NEW })
      expect((await leaseLane(store))?.apiVersion).toBe(NEW)
    })

    it('changes the version of a subscription together with its other settings', async ({ store }) => {
      const { subscription } = await addSubscriber(store, { subscription: oldKey })
      const changed = { ...subscription, apiVersion: NEW, description: 'x' }
      expect(await revise(store, subscription, { apiVersion: NEW, description: 'x' })).toEqual(changed)
      expect(await revise(store, subscription, { description: null })).toMatchObject({ apiVersion: NEW })
    })

    it('counts the subscriptions and keys that are pinned to each version', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store, { key: oldKey, subscription: oldKey })
      await addSubscription(store, key, { apiVersion: NEW })
      await addSubscription(store, key, { apiVersion: OLD, mode: 'test' })
      const gone = await addSubscription(store, key, { apiVersion: OLD })
      await remove(store, gone)
      const revoked = await addKey(store, account, oldKey)
      await store.keys.revokeKey(account.id, revoked.id, ENTRY)
      await disable(store, subscription)
      expect(await store.versions.pinned()).toEqual([
        { version: NEW, subscriptions: 1, keys: 0 },
        { version: OLD, subscriptions: 2, keys: 1 },
      ])
    })

    it('counts the events of all versions except the given ones', async ({ store }) => {
      const account = await addAccount(store)
      for (const version of [OLD, OLD, NEW, '2025-01-01', '2027-01-01']) await publish(store, draftIn(account, version))
      expect(await store.versions.eventsOutside([NEW, OLD], 10)).toEqual([
        { version: '2027-01-01', events: 1 },
        { version: '2025-01-01', events: 1 },
      ])
      expect(await store.versions.eventsOutside([NEW, '2025-01-01'], 10)).toEqual([
        { version: '2027-01-01', events: 1 },
        { version: OLD, events: 2 },
      ])
      expect(await store.versions.eventsOutside(['2027-01-01', NEW, '2025-01-01'], 1)).toEqual([
        { version: OLD, events: 1 },
      ])
    })

    it('lists all subscriptions that are pinned to a version, page by page', async ({ store }) => {
      const { key, subscription } = await addSubscriber(store, { subscription: oldKey })
      const second = await addSubscription(store, key, { apiVersion: OLD, mode: 'test' })
      const { subscription: third } = await addSubscriber(store, { subscription: oldKey })
      await addSubscription(store, key, { apiVersion: NEW })
      const gone = await addSubscription(store, key, { apiVersion: OLD })
      await remove(store, gone)
      const first = await store.versions.subscriptionsIn(OLD, undefined, 2)
      const rest = await store.versions.subscriptionsIn(OLD, first.at(-1), 2)
      expect([...first, ...rest].map(({ id }) => id).sort()).toEqual(
        [subscription, second, third].map(({ id }) => id).sort(),
      )
      expect([first.length, rest.length]).toEqual([2, 1])
      expect([...first, ...rest]).toContainEqual(subscription)
    })

    it('moves all subscriptions and keys from one version to another', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store, { key: oldKey, subscription: oldKey })
      const revoked = await addKey(store, account, oldKey)
      await store.keys.revokeKey(account.id, revoked.id, ENTRY)
      const newer = await addSubscription(store, key, { apiVersion: NEW })
      expect(await store.versions.moveVersion(OLD, '2026-07-01', ENTRY)).toEqual({ subscriptions: 1, keys: 1 })
      expect(await store.subscriptions.find(subscription)).toMatchObject({ apiVersion: '2026-07-01' })
      expect(await store.subscriptions.find(newer)).toMatchObject({ apiVersion: NEW })
      expect(await store.keys.find(account.id, key.id)).toMatchObject({ apiVersion: '2026-07-01' })
      expect(await store.versions.pinned()).toEqual([
        { version: NEW, subscriptions: 1, keys: 0 },
        { version: '2026-07-01', subscriptions: 1, keys: 1 },
      ])
    })
  })
}
