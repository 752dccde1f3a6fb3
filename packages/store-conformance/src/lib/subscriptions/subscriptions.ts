import { createId } from '@callboard/core'
import { REPLACES, type SubscriptionAct, type SubscriptionRef } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import {
  addAccount,
  addKey,
  addSubscriber,
  addSubscription,
  feed,
  feedDrafts,
  type HeldKey,
  publish,
  rotationOf,
} from '../arranging/arrange.ts'
import { draft, ENTRY, newSubscription, randomBytes } from '../arranging/inputs.ts'
import { eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { change, create, disable, ROOMY, remove } from '../arranging/subscription-acts.ts'

/** Every act but the removal. */
const ACTS: readonly SubscriptionAct[] = [
  { act: 'revise', changes: { eventTypes: ['order.refunded'] } },
  { act: 'disable', reason: 'gone', replaces: [] },
  { act: 'enable', from: ['gone'] },
  { act: 'skip_to_now' },
  { act: 'set_ordering', ordering: 'subject' },
  { act: 'rotate_secret', sealedSecret: 'sealed-2', overlapMs: 0 },
]

export function describeSubscriptions(it: StoreIt): void {
  describe('subscriptions', () => {
    it('stores everything about a subscription', async ({ store }) => {
      const key = await addKey(store, await addAccount(store))
      const input = newSubscription(key, { eventTypes: ['order.refunded', 'order.paid'], externalRef: 'zap-7' })
      const { identity: _identity, enablesFrom: _enablesFrom, sealedSecret, ...shown } = input
      const fresh = {
        description: undefined,
        secrets: [{ sealed: sealedSecret, expiresAt: undefined }],
        signatures: ['standard'],
        state: 'active',
        disabledReason: undefined,
        ordering: 'none',
        createdAt: expect.any(Date),
      }
      const created = await create(store, input)
      expect(created).toEqual({ outcome: 'created', subscription: { ...shown, ...fresh } })
      expect(created).toMatchObject({ subscription: (await store.subscriptions.find(input))! })
    })

    it('creates no subscription for an unknown account', async ({ store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      await store.accounts.delete(account.id, ENTRY)
      await expect(create(store, newSubscription(key))).rejects.toMatchObject({
        code: 'ACCOUNT_UNKNOWN',
      })
      expect(await store.subscriptions.list(account.id, 'live')).toEqual([])
    })

    it('creates no subscription with the id of another account’s subscription', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      const key = await addKey(store, await addAccount(store))
      const { id } = subscription
      for (const mode of ['live', 'test'] as const)
        await expect(create(store, newSubscription(key, { id, mode }))).rejects.toThrow()
      expect(await store.accounts.ownersOf(id)).toEqual([{ accountId: subscription.accountId, mode: 'live' }])
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
    })

    it('returns the same subscription, with its secret and version, for a repeated create', async ({ store }) => {
      const key = await addKey(store, await addAccount(store))
      const input = newSubscription(key)
      const first = await create(store, input)
      const again = await create(store, {
        ...input,
        id: createId('sub'),
        sealedSecret: 'sealed-2',
        apiVersion: '2027-01-01',
      })
      expect(again).toEqual({ ...first, outcome: 'existing' })
      expect(await store.subscriptions.list(key.accountId, 'live')).toHaveLength(1)
    })

    it('creates another subscription if the account or mode is different, or if there is no identity', async ({
      store,
    }) => {
      const account = await addAccount(store)
      const identity = randomBytes()
      for (const key of [
        await addKey(store, account),
        await addKey(store, account, { mode: 'test' }),
        await addKey(store, await addAccount(store)),
      ]) {
        expect((await create(store, newSubscription(key, { identity }))).outcome).toBe('created')
        for (let copies = 0; copies < 2; copies++) {
          expect((await create(store, newSubscription(key, { identity: undefined }))).outcome).toBe('created')
        }
      }
    })

    it('stores the calling key, or its last successor, in confirmedBy', async ({ store }) => {
      const account = await addAccount(store)
      const [first, second] = [await addKey(store, account), await addKey(store, account)]
      const input = newSubscription(first)
      const confirmedBy = async (keyId: string, identity = input.identity) => {
        const result = await create(store, { ...input, id: createId('sub'), identity, confirmedBy: keyId })
        return 'subscription' in result ? result.subscription.confirmedBy : undefined
      }
      expect(await confirmedBy(first.id)).toBe(first.id)
      expect(await confirmedBy(second.id)).toBe(second.id)

      let [keyId, last] = [first.id, '']
      for (let turns = 0; turns < 2; turns++, keyId = last) {
        const rotation = rotationOf({ accountId: account.id, id: keyId })
        await store.keys.rotateKey(rotation, ENTRY)
        last = rotation.successor.id
      }
      expect(await confirmedBy(first.id)).toBe(last)
      expect(await confirmedBy(first.id, randomBytes())).toBe(last)
    })

    it('loses no pending or retrying delivery when an active subscription is created again', async ({ store }) => {
      const { account, key } = await addSubscriber(store)
      const input = newSubscription(key)
      await create(store, input)
      const [retried, waiting] = await feed(store, account, 2)
      for (const lane of await leaseDue(store)) {
        await settleLane(store, lane, {
          settledThrough: lane.deliveries[0]!.position!,
          retries: [retryOf(retried!, { delayMs: 0 })],
        })
      }
      await create(store, { ...input, id: createId('sub') })
      const lane = (await leaseDue(store)).find(({ lease }) => lease.id === input.id)
      expect(lane && eventIds(lane)).toEqual([retried, waiting])
    })

    it.for(['gone', 'failing', 'key'] as const)(
      'enables a disabled subscription when it is created again (%s)',
      async (reason, { store }) => {
        const { account, key } = await addSubscriber(store)
        const input = newSubscription(key, { eventTypes: ['order.refunded'] })
        await create(store, input)
        await disable(store, input, reason)
        await publish(store, draft(account, { type: 'order.refunded' }))
        const again = await create(store, { ...input, id: createId('sub') })
        expect(again).toMatchObject({
          outcome: 'confirmed',
          subscription: { id: input.id, state: 'active', disabledReason: undefined },
        })
        const event = draft(account, { type: 'order.refunded' })
        await feedDrafts(store, event)
        expect(eventIds(await leaseLane(store))).toEqual([event.id])
      },
    )

    it.for(['account', 'platform'] as const)(
      'keeps a subscription disabled on a repeated create if somebody disabled it (%s)',
      async (reason, { store }) => {
        const { account, key } = await addSubscriber(store)
        const input = newSubscription(key)
        await create(store, input)
        await disable(store, input, reason, REPLACES[reason])
        const other = await addKey(store, account)
        const again = await create(store, { ...input, id: createId('sub'), confirmedBy: other.id })
        const state = { state: 'disabled', disabledReason: reason, confirmedBy: other.id }
        expect(again).toMatchObject({ outcome: 'confirmed', subscription: state })
        expect(await store.subscriptions.find(input)).toMatchObject(state)
      },
    )

    it('creates at most as many subscriptions as the limit, and always finds an existing one', async ({ store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      const limits = { ...ROOMY, total: 2 }
      const input = newSubscription(key)
      const add = async (overrides: Parameters<typeof newSubscription>[1] = {}) =>
        (await create(store, newSubscription(key, overrides), limits)).outcome
      await create(store, input, limits)
      await disable(store, input, 'gone')
      expect(await add({ source: 'dashboard', identity: undefined, confirmedBy: undefined, personalData: false })).toBe(
        'created',
      )
      expect(await add()).toBe('limit_reached')
      expect(await store.subscriptions.list(account.id, 'live')).toHaveLength(2)
      expect(await add({ identity: input.identity })).toBe('confirmed')
      expect(await add({ identity: input.identity })).toBe('existing')
      expect(
        (await create(store, newSubscription(await addKey(store, account, { mode: 'test' })), limits)).outcome,
      ).toBe('created')
      await remove(store, input)
      expect(await add()).toBe('created')
    })

    it('creates at most as many subscriptions within a minute as allowed, counting both modes and removed ones', async ({
      store,
      advance,
    }) => {
      const account = await addAccount(store)
      const live = await addKey(store, account)
      const test = await addKey(store, account, { mode: 'test' })
      const add = (key: HeldKey, input = newSubscription(key)) => create(store, input, { ...ROOMY, newPerMinute: 2 })
      const first = newSubscription(live)
      expect((await add(live, first)).outcome).toBe('created')
      await remove(store, first)
      await advance(20_000)
      const second = newSubscription(test)
      expect((await add(test, second)).outcome).toBe('created')
      const refused = await add(live)
      if (refused.outcome !== 'too_many_new') throw new Error(`not refused: ${refused.outcome}`)
      expect(refused.retryAfterMs).toBeGreaterThan(0)
      expect(refused.retryAfterMs).toBeLessThanOrEqual(40_000)
      expect(await add(test, { ...second, id: createId('sub') })).toMatchObject({ outcome: 'existing' })
      expect((await add(await addKey(store, await addAccount(store)))).outcome).toBe('created')
      await advance(refused.retryAfterMs + 1)
      expect((await add(live)).outcome).toBe('created')
      expect((await add(live)).outcome).toBe('too_many_new')
    })

    it('delivers events published after a subscription was created, and no older events, sequenced or not', async ({
      store,
    }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      await feed(store, account, 2)
      await publish(store, draft(account), draft(account))
      await addSubscription(store, key)
      const event = draft(account)
      await feedDrafts(store, event)
      expect(eventIds(await leaseAndSettle(store))).toEqual([event.id])
      expect(await leaseDue(store)).toEqual([])
    })

    it('finds and changes a subscription only in its own account and mode, and until it is removed', async ({
      store,
    }) => {
      const { subscription } = await addSubscriber(store)
      const other = await addAccount(store)
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      const expectUnknown = async (ref: SubscriptionRef) => {
        expect(await store.subscriptions.find(ref)).toBeUndefined()
        for (const act of ACTS) expect(await change(store, ref, act), act.act).toEqual({ outcome: 'unknown' })
      }
      const elsewhere = [{ mode: 'test' as const }, { accountId: other.id }, { id: createId('sub') }, { id: 'x' }]
      for (const each of elsewhere) {
        await expectUnknown({ ...subscription, ...each })
        expect(await remove(store, { ...subscription, ...each })).toBe('unknown')
      }
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      expect(await remove(store, subscription)).toBe('changed')
      await expectUnknown(subscription)
      expect(await remove(store, subscription)).toBe('unchanged')
    })

    it('lists the subscriptions of a mode that are not removed, newest first', async ({ store, advance }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      const ids: string[] = []
      for (let count = 0; count < 3; count++) {
        ids.unshift((await addSubscription(store, key)).id)
        await advance(1000)
      }
      await disable(store, { accountId: account.id, mode: 'live', id: ids[0]! }, 'gone')
      await remove(store, await addSubscription(store, key))
      await addSubscription(store, await addKey(store, account, { mode: 'test' }))
      await addSubscriber(store)
      expect((await store.subscriptions.list(account.id, 'live')).map(({ id }) => id)).toEqual(ids)
    })

    it('returns the event types in use across all accounts', async ({ store }) => {
      expect(await store.subscriptions.typesInUse()).toEqual([])
      const { key, subscription } = await addSubscriber(store, { subscription: { eventTypes: ['a.one', 'a.two'] } })
      await addSubscriber(store, { key: { mode: 'test' }, subscription: { eventTypes: ['a.three', 'a.two'] } })
      await disable(store, await addSubscription(store, key, { eventTypes: ['a.four'] }), 'gone')
      expect((await store.subscriptions.typesInUse()).sort()).toEqual(['a.four', 'a.one', 'a.three', 'a.two'])
      await remove(store, subscription)
      expect((await store.subscriptions.typesInUse()).sort()).toEqual(['a.four', 'a.three', 'a.two'])
    })
  })
}
