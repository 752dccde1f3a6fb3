import { createId } from '@callboard/core'
import type { Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, addSubscription, feed, feedDrafts } from '../arranging/arrange.ts'
import { draft, newImport, newSubscription } from '../arranging/inputs.ts'
import { eventIds, leaseDue } from '../arranging/lanes.ts'
import { race, tally } from '../arranging/racing.ts'
import type { RaceIt } from '../arranging/store-it.ts'
import { change, create, importAll, ROOMY, remove, revise } from '../arranging/subscription-acts.ts'

export function describeSubscriptionRaces<Tx>(it: RaceIt<Tx>): void {
  describe('subscriptions', () => {
    it('creates exactly one of 30 identical subscriptions', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const key = await addKey(store, await addAccount(store))
      const input = newSubscription(key)
      const outcomes = await race(30, (index) =>
        create(nodes[index % 2]!, { ...input, id: createId('sub'), sealedSecret: `sealed-${index}` }),
      )
      expect(tally(outcomes.map(({ outcome }) => outcome))).toEqual({ created: 1, existing: 29 })
      const [one] = await store.subscriptions.list(key.accountId, 'live')
      for (const outcome of outcomes) expect(outcome).toMatchObject({ subscription: one! })
    })

    it('creates exactly as many subscriptions as the limit', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const key = await addKey(store, await addAccount(store))
      const outcomes = await race(30, (index) =>
        create(nodes[index % 2]!, newSubscription(key), { ...ROOMY, total: 10 }),
      )
      expect(tally(outcomes.map(({ outcome }) => outcome))).toEqual({ created: 10, limit_reached: 20 })
      expect(await store.subscriptions.list(key.accountId, 'live')).toHaveLength(10)
    })

    it('creates exactly as many subscriptions within a minute as allowed, across both modes', async ({
      store,
      another,
    }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const account = await addAccount(store)
      const keys = [await addKey(store, account), await addKey(store, account, { mode: 'test' })]
      const outcomes = await race(30, (index) =>
        create(nodes[index % 2]!, newSubscription(keys[index % 2]!), { ...ROOMY, newPerMinute: 10 }),
      )
      expect(tally(outcomes.map(({ outcome }) => outcome))).toEqual({ created: 10, too_many_new: 20 })
    })

    it('uses the event types of the last of several concurrent changes', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const { account, subscription } = await addSubscriber(store)
      const types = ['order.paid', 'order.refunded', 'order.moved']
      await race(20, (index) => revise(nodes[index % 2]!, subscription, { eventTypes: [types[index % 3]!] }))
      const [last] = (await store.subscriptions.find(subscription))!.eventTypes
      const drafts = types.map((type) => draft(account, { type }))
      await feedDrafts(store, ...drafts)
      const [lane] = await leaseDue(store)
      expect(lane && eventIds(lane)).toEqual(drafts.filter(({ type }) => type === last).map(({ id }) => id))
    })

    it('gives an identity to exactly one of several concurrent changes and creations', async ({ store, another }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const { key, subscription: first } = await addSubscriber(store)
      const changed = [first, ...(await Promise.all(Array.from({ length: 9 }, () => addSubscription(store, key))))]
      const input = newSubscription(key)
      const { identity } = input
      const outcomes = await race(12, async (index) => {
        const node = nodes[index % 2]!
        const ref = changed[index]
        if (ref === undefined) return (await create(node, { ...input, id: createId('sub') })).outcome
        const act = { act: 'revise', changes: { externalRef: `own ${index}` }, identity } as const
        return (await change(node, ref, act)).outcome
      })
      const { exists = 0, changed: won = 0, created = 0, existing = 0 } = tally(outcomes)
      expect([won + created, exists + existing]).toEqual([1, 11])
      expect(await store.subscriptions.list(key.accountId, 'live')).toHaveLength(10 + created)
    })

    it('imports each of 20 subscriptions once, if several calls import them at the same time', async ({
      store,
      another,
    }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const account = await addAccount(store)
      const items = Array.from({ length: 20 }, () => newImport(account))
      const outcomes = await race(6, (index) => importAll(nodes[index % 2]!, items))
      expect(tally(outcomes.flat())).toEqual({ imported: 20, existing: 100 })
      expect(await store.subscriptions.list(account.id, 'live')).toHaveLength(20)
      const request = { accountId: account.id, mode: undefined, objectId: undefined, before: undefined, limit: 200 }
      expect(await store.audit.list(request)).toHaveLength(20)
    })

    it('gives an own id to the subscription of one account, if several accounts import it at the same time', async ({
      store,
      another,
    }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const items = Array.from({ length: 10 }, () => newImport({ id: 'none' }))
      const outcomes = await race(6, async (index) => {
        const { id: accountId } = await addAccount(store)
        const own = items.map((item) => newImport({ id: accountId }, { id: item.id }))
        return importAll(nodes[index % 2]!, index % 2 === 0 ? own : own.reverse())
      })
      expect(tally(outcomes.flat())).toEqual({ imported: 10, taken: 50 })
    })

    it('gives an identity to one of an import and a creation that race, and the creation finds it', async ({
      store,
      another,
    }) => {
      const nodes: Store<unknown>[] = [store, await another()]
      const account = await addAccount(store)
      const key = await addKey(store, account)
      for (let round = 0; round < 5; round++) {
        const item = newImport(account)
        const input = newSubscription(key, { identity: item.identity })
        const [[imported], created] = await Promise.all([importAll(nodes[round % 2]!, [item]), create(store, input)])
        const { outcome, subscription } = 'subscription' in created ? created : { outcome: '', subscription: undefined }
        expect([
          ['imported', 'confirmed', item.id],
          ['duplicate', 'created', input.id],
        ]).toContainEqual([imported, outcome, subscription?.id])
      }
    })

    it('removes a subscription exactly once, and then leases nothing for it on any node', async ({
      store,
      another,
    }) => {
      const node = await another()
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const removals = await race(10, (index) => remove(index % 2 === 0 ? store : node, subscription))
      expect(tally(removals)).toEqual({ changed: 1, unchanged: 9 })
      expect(await leaseDue(node)).toEqual([])
    })
  })
}
