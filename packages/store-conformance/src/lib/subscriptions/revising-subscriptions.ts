import { createId } from '@callboard/core'
import { ENABLES_FROM, REPLACES } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addKey, addSubscriber, addSubscription, feed, feedDrafts, rotationOf } from '../arranging/arrange.ts'
import { draft, ENTRY, newSubscription, randomBytes, SIGNATURES } from '../arranging/inputs.ts'
import { eventIds, leaseDue, leaseLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { create, disable, remove, revise, rotateSecret } from '../arranging/subscription-acts.ts'
import { listed } from '../reading/listing.ts'

const ACTIVE = { act: 'enable', from: ENABLES_FROM.account } as const
const DISABLED = { act: 'disable', reason: 'account', replaces: REPLACES.account } as const
const CHANGES = {
  targetUrl: 'https://hooks.example.com/2',
  eventTypes: ['order.refunded'],
  externalRef: 'own',
  apiVersion: '2027-01-01',
}

export function describeRevisingSubscriptions(it: StoreIt): void {
  const audited = { accountId: undefined, mode: undefined, before: undefined, limit: 100 }

  describe('changing subscriptions by key', () => {
    it('changes fields, state, identity and confirming key in one step, with one entry that names what changed', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const other = await addKey(store, account)
      await feed(store, account, 1)
      const identity = randomBytes()
      const more = { state: DISABLED, identity, confirmedBy: other.id }
      const after = await revise(store, subscription, CHANGES, more)
      const state = { state: 'disabled', disabledReason: 'account', confirmedBy: other.id }
      expect(after).toEqual({ ...subscription, ...CHANGES, ...state })
      expect((await store.audit.list({ ...audited, objectId: undefined }))[0]?.details).toEqual({
        fields: ['targetUrl', 'eventTypes', 'externalRef', 'apiVersion', 'state', 'disabledReason', 'confirmedBy'],
      })
      expect(await listed(store, subscription)).toMatchObject([{ state: 'disabled' }])
      const again = newSubscription(key, { identity, confirmedBy: other.id })
      expect(await create(store, again)).toEqual({ outcome: 'existing', subscription: after })
    })

    it('frees the old identity, and removes the own id if it is null', async ({ store }) => {
      const { key } = await addSubscriber(store)
      const input = newSubscription(key, { externalRef: 'own' })
      await create(store, input)
      const changed = await revise(store, input, { externalRef: null }, { identity: randomBytes() })
      expect(changed).toMatchObject({ externalRef: undefined })
      expect((await create(store, { ...input, id: createId('sub') })).outcome).toBe('created')
    })

    it('changes nothing, not even the confirming key, if nothing is different', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const other = await addKey(store, account)
      const before = await store.audit.list({ ...audited, objectId: undefined })
      const { targetUrl, eventTypes, apiVersion } = subscription
      const same = { targetUrl, eventTypes, apiVersion, externalRef: null }
      const more = { confirmedBy: other.id, identity: randomBytes(), state: ACTIVE }
      expect(await revise(store, subscription, same, more)).toEqual(subscription)
      await disable(store, subscription, 'account')
      expect(await revise(store, subscription, {}, { state: DISABLED, confirmedBy: other.id })).toMatchObject({
        confirmedBy: subscription.confirmedBy,
      })
      expect(await store.audit.list({ ...audited, objectId: undefined })).toHaveLength(before.length + 1)
    })

    it('changes the formats of the signatures, and back to the standard', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      for (const signatures of [SIGNATURES, ['svix'], ['standard']] as const) {
        expect(await revise(store, subscription, { signatures })).toEqual({ ...subscription, signatures })
        expect(await store.subscriptions.find(subscription)).toEqual({ ...subscription, signatures })
      }
      const entries = await store.audit.list({ ...audited, objectId: undefined })
      await revise(store, subscription, { signatures: ['standard'] })
      expect(await store.audit.list({ ...audited, objectId: undefined })).toEqual(entries)
      expect(entries[0]?.details).toEqual({ fields: ['signatures'] })
    })

    it('stores the last successor of the given key', async ({ store }) => {
      const { key, subscription } = await addSubscriber(store)
      const rotation = rotationOf(key)
      await store.keys.rotateKey(rotation, ENTRY)
      const confirmedBy = rotation.successor.id
      expect(await revise(store, subscription, { externalRef: 'own' }, { confirmedBy: key.id })).toMatchObject({
        confirmedBy,
      })
    })

    it('refuses the identity of another subscription of the mode and names it, unless that one is removed', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const input = newSubscription(key)
      await create(store, { ...newSubscription(key), mode: 'test', identity: input.identity })
      await create(store, input)
      const { identity } = input
      const act = { act: 'revise', changes: { externalRef: 'own' }, identity, state: DISABLED } as const
      const changing = () => store.subscriptions.changeSubscription(subscription, act, ENTRY)
      expect(await changing()).toEqual({ outcome: 'exists', subscriptionId: input.id })
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      await remove(store, input)
      expect(await changing()).toMatchObject({ outcome: 'changed', subscription: { externalRef: 'own' } })
      await feed(store, account, 1)
      expect(await leaseDue(store)).toEqual([])
    })

    it('is stale if a field that the identity follows from has changed', async ({ store }) => {
      const { subscription } = await addSubscriber(store, { subscription: { externalRef: 'own' } })
      const { targetUrl, eventTypes, externalRef } = subscription
      const seen = { targetUrl, eventTypes, externalRef }
      for (const old of [{ targetUrl: 'https://a.example/' }, { eventTypes: [] }, { externalRef: undefined }])
        expect(await revise(store, subscription, CHANGES, { seen: { ...seen, ...old } })).toBe('stale')
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      expect(await revise(store, subscription, CHANGES, { seen })).toMatchObject(CHANGES)
    })

    it('enables with the changes: only later events are delivered, of the new types and to the new target', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      const [waiting] = await feed(store, account, 1)
      await disable(store, subscription, 'gone')
      expect(await revise(store, subscription, CHANGES, { state: ACTIVE })).toMatchObject({ state: 'active' })
      expect(await leaseDue(store)).toEqual([])
      const drafts = ['order.paid', 'order.refunded'].map((type) => draft(account, { type }))
      const [, wanted] = await feedDrafts(store, ...drafts)
      const lane = await leaseLane(store)
      expect([lane.targetUrl, eventIds(lane)]).toEqual([CHANGES.targetUrl, [wanted]])
      expect(await store.deliveryLog.find(subscription, waiting ?? '')).toMatchObject({ state: 'disabled' })
    })

    it('changes nothing if the subscription stays disabled because of its reason', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      await disable(store, subscription, 'platform')
      const before = await store.subscriptions.find(subscription)
      expect(await revise(store, subscription, CHANGES, { state: ACTIVE })).toBe('stays_disabled')
      expect(await revise(store, subscription, {}, { state: DISABLED })).toMatchObject({ disabledReason: 'platform' })
      expect(await store.subscriptions.find(subscription)).toEqual(before)
    })

    it('accepts new types while earlier ones are pending if it disables the subscription too', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      await revise(store, subscription, { eventTypes: ['order.refunded'] })
      expect(await revise(store, subscription, { eventTypes: ['order.moved'] })).toBe('refused')
      const after = await revise(store, subscription, { eventTypes: ['order.moved'] }, { state: DISABLED })
      expect(after).toMatchObject({ eventTypes: ['order.moved'], state: 'disabled' })
      expect(await listed(store, subscription)).toMatchObject([{ state: 'disabled' }])
    })

    it('makes the key that rotates a secret the confirming key, but not if the act is refused', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const other = await addKey(store, account)
      const rotate = (from: string) => rotateSecret(store, subscription, 'sealed-2', 0, from, other.id)
      expect(await rotate('sealed-0')).toBe('refused')
      expect(await store.subscriptions.find(subscription)).toMatchObject({ confirmedBy: key.id })
      expect(await rotate('sealed-1')).toBe('changed')
      expect(await store.subscriptions.find(subscription)).toMatchObject({ confirmedBy: other.id })
    })

    it('leaves the identities of other subscriptions alone', async ({ store }) => {
      const { key, subscription } = await addSubscriber(store)
      const others = await Promise.all([addSubscription(store, key), addSubscription(store, key)])
      await revise(store, subscription, { externalRef: 'own' }, { identity: randomBytes() })
      for (const other of others) expect(await store.subscriptions.find(other)).toEqual(other)
    })
  })
}
