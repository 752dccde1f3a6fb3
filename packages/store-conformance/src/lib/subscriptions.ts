import { createId } from '@callboard/core'
import { ENABLES_FROM, REPLACES } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, type HeldKey, publish, ROOMY } from './arrange.ts'
import { draft, ENTRY, newSubscription, randomBytes } from './inputs.ts'
import { eventIds, leaseAndSettle, leaseDue, leaseLane, retryOf, settleLane } from './lanes.ts'
import type { StoreIt } from './store-it.ts'

export function describeSubscriptions(it: StoreIt): void {
  describe('subscriptions', () => {
    it('stores everything about a subscription', async ({ store }) => {
      const key = await addKey(store, await addAccount(store))
      const input = newSubscription(key, { eventTypes: ['order.refunded', 'order.paid'], externalRef: 'zap-7' })
      const { identity: _identity, enablesFrom: _enablesFrom, sealedSecret, ...shown } = input
      const fresh = {
        description: undefined,
        secrets: [{ sealed: sealedSecret, expiresAt: undefined }],
        state: 'active',
        disabledReason: undefined,
        ordering: 'none',
        createdAt: expect.any(Date),
      }
      const created = await store.subscriptions.create(input, ROOMY)
      expect(created).toEqual({ outcome: 'created', subscription: { ...shown, ...fresh } })
      expect(created).toMatchObject({ subscription: (await store.subscriptions.find(input))! })
    })

    it('creates no subscription for an unknown account', async ({ store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      await store.accounts.delete(account.id, ENTRY)
      await expect(store.subscriptions.create(newSubscription(key), ROOMY)).rejects.toMatchObject({
        code: 'ACCOUNT_UNKNOWN',
      })
      expect(await store.subscriptions.list(account.id, 'live')).toEqual([])
    })

    it('creates no subscription with the id of another account’s subscription', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      const key = await addKey(store, await addAccount(store))
      const { id } = subscription
      for (const mode of ['live', 'test'] as const)
        await expect(store.subscriptions.create(newSubscription(key, { id, mode }), ROOMY)).rejects.toThrow()
      expect(await store.accounts.ownersOf(id)).toEqual([{ accountId: subscription.accountId, mode: 'live' }])
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
    })

    it('returns the same subscription and the same secret for a repeated create', async ({ store }) => {
      const key = await addKey(store, await addAccount(store))
      const input = newSubscription(key)
      const first = await store.subscriptions.create(input, ROOMY)
      const again = await store.subscriptions.create({ ...input, id: createId('sub'), sealedSecret: 'sealed-2' }, ROOMY)
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
        expect((await store.subscriptions.create(newSubscription(key, { identity }), ROOMY)).outcome).toBe('created')
        for (let copies = 0; copies < 2; copies++) {
          expect((await store.subscriptions.create(newSubscription(key, { identity: undefined }), ROOMY)).outcome).toBe(
            'created',
          )
        }
      }
    })

    it('stores the calling key, or its last successor, in confirmedBy', async ({ store }) => {
      const account = await addAccount(store)
      const [first, second] = [await addKey(store, account), await addKey(store, account)]
      const input = newSubscription(first)
      const confirmedBy = async (keyId: string, identity = input.identity) => {
        const result = await store.subscriptions.create(
          { ...input, id: createId('sub'), identity, confirmedBy: keyId },
          ROOMY,
        )
        return 'subscription' in result ? result.subscription.confirmedBy : undefined
      }
      expect(await confirmedBy(first.id)).toBe(first.id)
      expect(await confirmedBy(second.id)).toBe(second.id)

      let [keyId, last] = [first.id, '']
      for (let turns = 0; turns < 2; turns++, keyId = last) {
        const successor = { id: createId('key'), tokenHash: randomBytes(), expiresAt: undefined }
        await store.keys.rotate({ accountId: account.id, keyId, successor, overlapMs: 60_000 }, ENTRY)
        last = successor.id
      }
      expect(await confirmedBy(first.id)).toBe(last)
      expect(await confirmedBy(first.id, randomBytes())).toBe(last)
    })

    it('loses no pending or retrying delivery when an active subscription is created again', async ({ store }) => {
      const { account, key } = await addSubscriber(store)
      const input = newSubscription(key)
      await store.subscriptions.create(input, ROOMY)
      const [retried, waiting] = await feed(store, account, 2)
      for (const lane of await leaseDue(store)) {
        await settleLane(store, lane, {
          cursor: lane.deliveries[0]!.position!,
          retries: [retryOf(retried!, { delayMs: 0 })],
        })
      }
      await store.subscriptions.create({ ...input, id: createId('sub') }, ROOMY)
      const lane = (await leaseDue(store)).find(({ lease }) => lease.id === input.id)
      expect(lane && eventIds(lane)).toEqual([retried, waiting])
    })

    it.for(['gone', 'failing', 'key'] as const)(
      'enables a disabled subscription when it is created again (%s)',
      async (reason, { store }) => {
        const { account, key } = await addSubscriber(store)
        const input = newSubscription(key, { eventTypes: ['order.refunded'] })
        await store.subscriptions.create(input, ROOMY)
        await store.subscriptions.disable(input, reason, [])
        await publish(store, draft(account, { type: 'order.refunded' }))
        const again = await store.subscriptions.create({ ...input, id: createId('sub') }, ROOMY)
        expect(again).toMatchObject({
          outcome: 'confirmed',
          subscription: { id: input.id, state: 'active', disabledReason: undefined },
        })
        const event = draft(account, { type: 'order.refunded' })
        await publish(store, event)
        await store.deliveries.sequence(10)
        expect(eventIds(await leaseLane(store))).toEqual([event.id])
      },
    )

    it.for(['account', 'platform'] as const)(
      'keeps a subscription disabled on a repeated create if somebody disabled it (%s)',
      async (reason, { store }) => {
        const { account, key } = await addSubscriber(store)
        const input = newSubscription(key)
        await store.subscriptions.create(input, ROOMY)
        await store.subscriptions.disable(input, reason, REPLACES[reason])
        const other = await addKey(store, account)
        const again = await store.subscriptions.create({ ...input, id: createId('sub'), confirmedBy: other.id }, ROOMY)
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
      const create = async (overrides: Parameters<typeof newSubscription>[1] = {}) =>
        (await store.subscriptions.create(newSubscription(key, overrides), limits)).outcome
      await store.subscriptions.create(input, limits)
      await store.subscriptions.disable(input, 'gone', [])
      expect(
        await create({ source: 'dashboard', identity: undefined, confirmedBy: undefined, personalData: false }),
      ).toBe('created')
      expect(await create()).toBe('limit_reached')
      expect(await store.subscriptions.list(account.id, 'live')).toHaveLength(2)
      expect(await create({ identity: input.identity })).toBe('confirmed')
      expect(await create({ identity: input.identity })).toBe('existing')
      expect(
        (await store.subscriptions.create(newSubscription(await addKey(store, account, { mode: 'test' })), limits))
          .outcome,
      ).toBe('created')
      await store.subscriptions.remove(input, ['api'])
      expect(await create()).toBe('created')
    })

    it('creates at most as many subscriptions within a minute as allowed, counting both modes and removed ones', async ({
      store,
      advance,
    }) => {
      const account = await addAccount(store)
      const live = await addKey(store, account)
      const test = await addKey(store, account, { mode: 'test' })
      const create = (key: HeldKey, input = newSubscription(key)) =>
        store.subscriptions.create(input, { ...ROOMY, newPerMinute: 2 })
      const first = newSubscription(live)
      expect((await create(live, first)).outcome).toBe('created')
      await store.subscriptions.remove(first, ['api'])
      await advance(20_000)
      const second = newSubscription(test)
      expect((await create(test, second)).outcome).toBe('created')
      const refused = await create(live)
      if (refused.outcome !== 'too_many_new') throw new Error(`not refused: ${refused.outcome}`)
      expect(refused.retryAfterMs).toBeGreaterThan(0)
      expect(refused.retryAfterMs).toBeLessThanOrEqual(40_000)
      expect(await create(test, { ...second, id: createId('sub') })).toMatchObject({ outcome: 'existing' })
      expect((await create(await addKey(store, await addAccount(store)))).outcome).toBe('created')
      await advance(refused.retryAfterMs + 1)
      expect((await create(live)).outcome).toBe('created')
      expect((await create(live)).outcome).toBe('too_many_new')
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
      await publish(store, event)
      await store.deliveries.sequence(100)
      expect(eventIds(await leaseAndSettle(store))).toEqual([event.id])
      expect(await leaseDue(store)).toEqual([])
    })

    it('leases nothing if only events older than the subscription are sequenced', async ({ store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      await publish(store, draft(account))
      await addSubscription(store, key)
      expect((await store.deliveries.sequence(100)).sequenced).toBe(1)
      expect(await leaseDue(store)).toEqual([])
    })

    it('finds a subscription only in its own account and mode', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      const other = await addAccount(store)
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
      for (const elsewhere of [{ mode: 'test' as const }, { accountId: other.id }, { id: createId('sub') }]) {
        const ref = { ...subscription, ...elsewhere }
        expect(await store.subscriptions.find(ref)).toBeUndefined()
        expect(await store.subscriptions.remove(ref, ['api'])).toBe('unknown')
        expect(await store.subscriptions.disable(ref, 'gone', [])).toBe(false)
        expect(await store.subscriptions.enable(ref, ENABLES_FROM.platform)).toBe('unknown')
        expect(await store.subscriptions.rotateSecret(ref, 'sealed-2', 0)).toBe(false)
      }
      expect(await store.subscriptions.find(subscription)).toEqual(subscription)
    })

    it('returns a sample of the sealed secrets of subscriptions that are not removed', async ({ store }) => {
      const key = await addKey(store, await addAccount(store))
      expect(await store.subscriptions.sealedSample(5)).toEqual([])
      const [kept, gone] = [await addSubscription(store, key), await addSubscription(store, key)]
      await store.subscriptions.remove(gone, ['api'])
      expect(await store.subscriptions.sealedSample(5)).toEqual([{ id: kept.id, sealed: kept.secrets[0]!.sealed }])
      expect(await store.subscriptions.sealedSample(0)).toEqual([])
    })

    it('lists the subscriptions of a mode that are not removed, newest first', async ({ store, advance }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      const ids: string[] = []
      for (let count = 0; count < 3; count++) {
        ids.unshift((await addSubscription(store, key)).id)
        await advance(1000)
      }
      await store.subscriptions.disable({ accountId: account.id, mode: 'live', id: ids[0]! }, 'gone', [])
      await store.subscriptions.remove(await addSubscription(store, key), ['api'])
      await addSubscription(store, await addKey(store, account, { mode: 'test' }))
      await addSubscriber(store)
      expect((await store.subscriptions.list(account.id, 'live')).map(({ id }) => id)).toEqual(ids)
    })

    it('returns the event types in use across all accounts', async ({ store }) => {
      expect(await store.subscriptions.typesInUse()).toEqual([])
      const { key, subscription } = await addSubscriber(store, { subscription: { eventTypes: ['a.one', 'a.two'] } })
      await addSubscriber(store, { key: { mode: 'test' }, subscription: { eventTypes: ['a.three', 'a.two'] } })
      await store.subscriptions.disable(await addSubscription(store, key, { eventTypes: ['a.four'] }), 'gone', [])
      expect((await store.subscriptions.typesInUse()).sort()).toEqual(['a.four', 'a.one', 'a.three', 'a.two'])
      await store.subscriptions.remove(subscription, ['api'])
      expect((await store.subscriptions.typesInUse()).sort()).toEqual(['a.four', 'a.three', 'a.two'])
    })
  })
}
