import { createId, type SubscriptionRecord } from '@callboard/core'
import type { ImportedSubscription, Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addKey, addSubscriber, feed, pagesOf } from '../arranging/arrange.ts'
import { ENTRY, newImport, newSubscription, SIGNATURES } from '../arranging/inputs.ts'
import { ALL_ATTEMPTS, attemptOf, eventIds, leaseLane, settleLane } from '../arranging/lanes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import {
  create,
  disable,
  enable,
  importAll,
  ROOMY,
  remove,
  revise,
  startBackfill,
} from '../arranging/subscription-acts.ts'

const HOUR_MS = 3_600_000

async function entriesOf(store: Store<unknown>, objectId: string) {
  return store.audit.list({ accountId: undefined, mode: undefined, objectId, before: undefined, limit: 10 })
}

export function describeImporting(it: StoreIt): void {
  describe('importing subscriptions', () => {
    it('stores everything about a subscription, and its entry', async ({ store }) => {
      const account = await addAccount(store)
      const former = { sealed: 'sealed-0', expiresAt: new Date(Date.now() + HOUR_MS) }
      const item = newImport(account, {
        id: '3f2c.a-b_C',
        mode: 'test',
        eventTypes: ['order.refunded', 'order.paid'],
        externalRef: 'zap-7',
        description: 'Ada’s shop',
        personalData: true,
        secrets: [{ sealed: 'sealed-1', expiresAt: undefined }, former],
        signatures: SIGNATURES,
        createdAt: new Date('2021-03-04T05:06:07.089Z'),
      })
      expect(await store.subscriptions.importSubscriptions([item], { ...ROOMY, dryRun: false })).toEqual([
        { outcome: 'imported', id: '3f2c.a-b_C' },
      ])
      const { laneId: _laneId, named: _named, digests: _digests, identity: _identity, entry, ...shown } = item
      const record = { ...shown, source: 'api', state: 'active', ordering: 'none', confirmedBy: undefined }
      expect(await store.subscriptions.find(item)).toEqual(record)
      expect(await store.subscriptions.list(account.id, 'test')).toEqual([record])
      expect(await entriesOf(store, item.id)).toEqual([{ ...entry, number: expect.any(Number), at: expect.any(Date) }])
    })

    it('imports a subscription once, whatever has become of it since', async ({ store }) => {
      const account = await addAccount(store)
      const items = [newImport(account), newImport(account, { disabledReason: 'failing' })]
      expect(await importAll(store, items)).toEqual(['imported', 'imported'])
      await revise(store, items[0]!, { targetUrl: 'https://hooks.example.com/catch/2' })
      const before = await store.subscriptions.list(account.id, 'live')
      const again = items.map((item) => ({ ...item, laneId: createId('sub'), secrets: newImport(account).secrets }))
      expect(await importAll(store, [...again, newImport(account)])).toEqual(['existing', 'existing', 'imported'])
      expect(await store.subscriptions.list(account.id, 'live')).toEqual(expect.arrayContaining(before))
      expect(await entriesOf(store, items[1]!.id)).toHaveLength(1)
    })

    it('recognises a subscription without an id of its own by its input', async ({ store }) => {
      const account = await addAccount(store)
      const unnamed = (): ImportedSubscription => {
        const id = createId('sub')
        return newImport(account, { id, laneId: id, named: false, digests: ['k1.same'] })
      }
      const first = unnamed()
      expect(await importAll(store, [first])).toEqual(['imported'])
      const limits = { ...ROOMY, dryRun: false }
      expect(await store.subscriptions.importSubscriptions([unnamed()], limits)).toEqual([
        { outcome: 'existing', id: first.id },
      ])
      expect(await importAll(store, [{ ...unnamed(), mode: 'test' }])).toEqual(['imported'])
      await remove(store, first)
      expect(await importAll(store, [unnamed()])).toEqual(['removed'])
    })

    it('never overwrites a subscription with the same id', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const item = newImport(account)
      await importAll(store, [item])
      expect(await importAll(store, [{ ...item, digests: ['k1.other'] }])).toEqual(['changed'])
      const others = [
        { ...item, mode: 'test' as const },
        { ...item, accountId: (await addAccount(store)).id },
        newImport(account, { id: subscription.id, laneId: subscription.id }),
      ]
      for (const other of others) expect(await importAll(store, [other])).toEqual(['taken'])
      expect(await store.subscriptions.find(item)).toMatchObject({ secrets: item.secrets })
      expect(await store.subscriptions.list(account.id, 'live')).toHaveLength(2)
    })

    it('compares inputs only by digests that were made with the same key', async ({ store }) => {
      const item = newImport(await addAccount(store), { digests: ['k1.a'] })
      await importAll(store, [item])
      const outcome = async (...digests: string[]) => (await importAll(store, [{ ...item, digests }]))[0]
      expect(await outcome('k2.b', 'k1.a')).toBe('existing')
      expect(await outcome('k2.b')).toBe('existing')
      expect(await outcome('k2.b', 'k1.c')).toBe('changed')
    })

    it('does not bring back a subscription that was removed', async ({ store }) => {
      const item = newImport(await addAccount(store))
      await importAll(store, [item])
      await remove(store, item)
      expect(await importAll(store, [item])).toEqual(['removed'])
      expect(await importAll(store, [{ ...item, digests: ['k1.other'] }])).toEqual(['removed'])
      expect(await store.subscriptions.find(item)).toBeUndefined()
    })

    it('imports a duplicate without its identity', async ({ store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      const created = newSubscription(key)
      await create(store, created)
      const first = newImport(account)
      const items = [
        first,
        newImport(account, { identity: first.identity }),
        newImport(account, { identity: created.identity! }),
      ]
      expect(await importAll(store, items)).toEqual(['imported', 'duplicate', 'duplicate'])
      expect(await importAll(store, [newImport(account, { identity: first.identity, mode: 'test' })])).toEqual([
        'imported',
      ])
      const input = newSubscription(key, { identity: first.identity })
      expect(await create(store, input)).toMatchObject({ outcome: 'confirmed', subscription: { id: first.id } })
      expect(await store.subscriptions.list(account.id, 'live')).toHaveLength(4)
    })

    it('imports up to the limit, and no unknown account, and does not fail the other items', async ({ store }) => {
      const [account, gone] = [await addAccount(store), await addAccount(store)]
      await store.accounts.delete(gone.id, ENTRY)
      const items = [newImport(account), newImport(gone), newImport(account), newImport(account, { mode: 'test' })]
      const outcomes = ['imported', 'account_unknown', 'limit_reached', 'imported']
      expect(await importAll(store, items, { total: 1 })).toEqual(outcomes)
      expect(await importAll(store, items, { total: 1 })).toEqual(['existing', ...outcomes.slice(1, 3), 'existing'])
      expect(await importAll(store, [])).toEqual([])
    })

    it('does not count against the subscriptions that an account may create within a minute', async ({ store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account)
      const createdAt = new Date()
      await importAll(store, [newImport(account, { createdAt }), newImport(account, { createdAt })])
      const limits = { ...ROOMY, newPerMinute: 1 }
      expect((await create(store, newSubscription(key), limits)).outcome).toBe('created')
      expect((await create(store, newSubscription(key), limits)).outcome).toBe('too_many_new')
    })

    it('sends the events that were published since the import', async ({ store }) => {
      const account = await addAccount(store)
      await feed(store, account, 1)
      const item = newImport(account)
      await importAll(store, [item, newImport(account, { disabledReason: 'account' })])
      expect((await store.deliveries.due({ limit: 10, after: undefined })).lanes).toEqual([])
      const [event] = await feed(store, account, 1)
      const lane = await leaseLane(store)
      expect(lane).toMatchObject({ lease: { accountId: account.id, mode: 'live', id: item.id } })
      expect(eventIds(lane)).toEqual([event])
    })

    it('enables a disabled subscription for the reasons that the caller may enable from', async ({ store }) => {
      const account = await addAccount(store)
      const item = newImport(account, { disabledReason: 'account' })
      await importAll(store, [item])
      expect(await store.health.findWithHealth(item)).toMatchObject({
        state: 'disabled',
        disabledReason: 'account',
        health: { disabledAt: expect.any(Date) },
      })
      expect(await enable(store, item, ['gone'])).toBe('refused')
      expect(await enable(store, item, ['account'])).toBe('changed')
      const [event] = await feed(store, account, 1)
      expect(eventIds(await leaseLane(store))).toEqual([event])
    })

    it.for([true, false])(
      'needs no key, and sends personal data if the import says so (%s), until a key confirms it',
      async (personalData, { store }) => {
        const account = await addAccount(store)
        const item = newImport(account, { personalData })
        await importAll(store, [item])
        await feed(store, account, 1)
        const lane = await leaseLane(store)
        const standing = { deliverable: true, disable: undefined, personalData }
        expect(lane).toMatchObject({
          standing,
          deliveries: [{ event: { patch: personalData ? expect.any(String) : null } }],
        })
        expect(await store.deliveries.checkLeases([lane.lease])).toEqual([standing])
        expect(await store.health.findWithHealth(item)).toMatchObject({ health: { personalData } })

        const scopes = ['webhooks.write', ...(personalData ? [] : (['people.read'] as const))] as const
        const key = await addKey(store, account, { scopes })
        const { identity } = item
        const confirmed = await create(store, newSubscription(key, { identity }))
        expect(confirmed).toMatchObject({ outcome: 'confirmed', subscription: { id: item.id, confirmedBy: key.id } })
        const changed = { ...standing, personalData: !personalData }
        expect(await store.deliveries.checkLeases([lane.lease])).toEqual([changed])
        expect(await store.health.findWithHealth(item)).toMatchObject({ health: { personalData: !personalData } })
        await store.keys.revokeKey(account.id, key.id, ENTRY)
        expect(await store.subscriptions.find(item)).toMatchObject({ state: 'disabled', disabledReason: 'key' })
      },
    )

    it('is known by its own id to every call', async ({ store }) => {
      const account = await addAccount(store)
      const [earlier] = await feed(store, account, 1)
      const item = newImport(account, { id: 'a3bb189e-8bf9-3888-9912-ace4e6543002' })
      await importAll(store, [item])
      const { id } = item
      expect(await store.accounts.ownersOf(id)).toEqual([{ accountId: account.id, mode: 'live' }])

      const [event] = await feed(store, account, 1)
      const lane = await leaseLane(store)
      expect(lane.lease.id).toBe(id)
      const attempt = attemptOf(event!, { outcome: 'exhausted' })
      const failed = { attempts: [attempt], ended: [event!], succeeded: false, failedAttempts: 1 }
      const settlement = { ...failed, disable: 'gone' as const }
      expect(await settleLane(store, lane, settlement)).toMatchObject({ disabled: [{ id }] })
      expect(await settleLane(store, lane)).toMatchObject({ fenced: [{ id }] })

      const delivery = { subscriptionId: id, eventId: event }
      const page = { state: undefined, type: undefined, before: undefined, limit: 5 }
      expect(await store.deliveryLog.page(item, page)).toMatchObject({ deliveries: [delivery] })
      expect(await store.deliveryLog.page(item, { ...page, state: 'exhausted' })).toMatchObject({
        deliveries: [delivery],
      })
      expect(await store.deliveryLog.find(item, event!)).toMatchObject(delivery)
      const ofEvent = { accountId: account.id, mode: 'live', eventId: event! } as const
      expect(await store.deliveryLog.pageOfEvent(ofEvent, page)).toMatchObject({ deliveries: [delivery] })
      expect(await store.deliveryLog.attempts(item, ALL_ATTEMPTS)).toMatchObject([delivery])
      expect(await store.deliveryLog.attempts(item, { ...ALL_ATTEMPTS, eventId: event! })).toMatchObject([delivery])
      const owner = { accountId: account.id, mode: 'live' } as const
      expect(await store.deliveryLog.attempts(owner, { ...ALL_ATTEMPTS, eventId: event! })).toMatchObject([delivery])
      expect(await store.deliveryLog.newestFailures(owner, 5)).toMatchObject([
        { subscription: { id }, attempt: delivery },
      ])

      const entry = { ...ENTRY, action: 'subscription.changed', accountId: account.id, objectId: id } as const
      const act = { act: 'enable', from: ['gone'] } as const
      expect(await store.subscriptions.changeSubscription(item, act, entry)).toMatchObject({ subscription: { id } })
      const range = { states: ['exhausted'], from: new Date(0), to: undefined, after: undefined, limit: 5 } as const
      expect(await store.deliveryLog.resendRange(item, range, { ...entry, action: 'deliveries.resent' })).toMatchObject(
        {
          resent: 1,
        },
      )
      expect(await store.deliveryLog.resend(item, event!, { ...entry, action: 'delivery.resent' })).toBe('hastened')
      await store.audit.recordEntry({ ...entry, action: 'secret.rotated' })
      const actions = ['secret.rotated', 'delivery.resent', 'deliveries.resent', 'subscription.changed']
      expect(await entriesOf(store, id)).toMatchObject([
        ...actions.map((action) => ({ action, objectId: id })),
        { action: 'subscription.disabled', objectId: id },
        { action: 'subscription.imported', objectId: id },
      ])
      expect(await startBackfill(store, item, new Date(0))).toBe('changed')
      expect(await store.subscriptions.findBackfill(item)).toMatchObject({ state: 'running' })
      const next = await leaseLane(store)
      expect([next.lease.id, ...eventIds(next)].sort()).toEqual([id, event, earlier].sort())

      expect(await store.maintenance.expiredRanges(item)).toEqual([])
      const sealed = { ref: { ...owner, id }, sealed: ['sealed-1'] }
      expect(await store.subscriptions.sealedSecrets(undefined, 5)).toEqual([sealed])
      expect(await store.subscriptions.sealedSecrets(sealed.ref, 5)).toEqual([])
      expect(await store.subscriptions.replaceSealed(item, 'sealed-1', 'again')).toEqual({ outcome: 'changed' })
      expect(await store.versions.subscriptionsIn(item.apiVersion, undefined, 5)).toMatchObject([{ id }])
      expect(await store.versions.subscriptionsIn(item.apiVersion, { ...owner, id }, 5)).toEqual([])
      expect(await disable(store, item)).toBe('changed')
      expect(await remove(store, item)).toBe('changed')
      expect(await store.subscriptions.find(item)).toBeUndefined()
    })

    it('is listed by its time of creation', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      const at = (hours: number) => ({ createdAt: new Date(Date.now() - hours * HOUR_MS) })
      const items = [newImport(account, at(3)), newImport(account, at(1)), newImport(account, at(2))]
      await importAll(store, items)
      const newestFirst = [subscription, items[1]!, items[2]!, items[0]!].map(({ id }) => id)
      const ids = (found: readonly SubscriptionRecord[]) => found.map(({ id }) => id)
      expect(ids(await store.subscriptions.list(account.id, 'live'))).toEqual(newestFirst)
      const request = { accountId: account.id, mode: 'live', state: undefined, search: undefined, limit: 1 } as const
      const pages = await pagesOf((before: string | undefined) => store.health.overview({ ...request, before }))
      expect(pages.map(({ subscriptions }) => ids(subscriptions))).toEqual(newestFirst.map((id) => [id]))
      const [event] = await feed(store, account, 1)
      const ofEvent = { accountId: account.id, mode: 'live', eventId: event! } as const
      const deliveries = await pagesOf((before: string | undefined) =>
        store.deliveryLog.pageOfEvent(ofEvent, { state: undefined, before, limit: 1 }),
      )
      expect(deliveries.map((page) => page.deliveries[0]?.subscriptionId)).toEqual(newestFirst)
    })

    it('says in a dry run what would happen, and stores nothing', async ({ store }) => {
      const account = await addAccount(store)
      const first = newImport(account)
      const items = [first, newImport(account, { identity: first.identity }), newImport(account)]
      const outcomes = ['imported', 'duplicate', 'limit_reached']
      expect(await importAll(store, items, { total: 2, dryRun: true })).toEqual(outcomes)
      expect(await store.subscriptions.list(account.id, 'live')).toEqual([])
      expect(await entriesOf(store, first.id)).toEqual([])
      expect(await importAll(store, items, { total: 2 })).toEqual(outcomes)
    })
  })
}
