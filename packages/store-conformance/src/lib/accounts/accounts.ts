import { createId } from '@callboard/core'
import type { EventDraft, NewAccount, Store } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import {
  addAccount,
  addKey,
  addSubscriber,
  addSubscription,
  feed,
  feedDrafts,
  keysOf,
  publish,
} from '../arranging/arrange.ts'
import { accountToCreate, draft, ENTRY, newAccount, newKey, newSubscription, WIDE_LIMITS } from '../arranging/inputs.ts'
import { ALL_ATTEMPTS, attemptOf, leaseDue, leaseLane, settleLane } from '../arranging/lanes.ts'
import { horizons, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import { create, disable, enable, remove } from '../arranging/subscription-acts.ts'

export function describeAccounts(it: StoreIt): void {
  describe('accounts', () => {
    it('creates the missing accounts with their audit entries, and leaves the others unchanged', async ({ store }) => {
      await addAccount(store, { id: 'known', name: 'Known' })
      const accounts = [newlyNamed('z'), newlyNamed('known'), newlyNamed('ä')]
      const { created, deleted } = await store.accounts.createAccounts(accounts)
      expect([created.toSorted(), deleted]).toEqual([['z', 'ä'], []])
      expect(await store.accounts.createAccounts(accounts)).toEqual({ created: [], deleted: [] })
      expect(await store.accounts.find('known')).toEqual({ id: 'known', name: 'Known' })
      expect(await store.accounts.find('z')).toEqual({ id: 'z', name: 'Name of z' })
      expect(await store.accounts.find('b')).toBeUndefined()
      expect((await createdAccounts(store)).toSorted()).toEqual(['z', 'ä'])
    })

    it('stores nothing if one of the accounts to create was deleted, and names it', async ({ store }) => {
      const gone = await addAccount(store)
      await store.accounts.delete(gone.id, ENTRY)
      const both = [newlyNamed('new'), newlyNamed(gone.id)]
      expect(await store.accounts.createAccounts(both)).toEqual({ created: [], deleted: [gone.id] })
      expect(await store.accounts.find('new')).toBeUndefined()
      expect(await store.accounts.find(gone.id)).toBeUndefined()
      expect(await createdAccounts(store)).toEqual([])
    })

    it('creates an account by publishing for it, once, and never renames it', async ({ store }) => {
      const [first, second] = [newlyNamed('first'), newlyNamed('second')]
      const drafts = [first, second, { ...first, name: 'Another name' }].map((account) => ({
        ...draft(account),
        newAccount: account,
      }))
      expect(await store.events.publishDrafts(drafts.slice(0, 1))).toMatchObject([{ outcome: 'stored' }])
      expect(await store.events.publishDrafts(drafts.slice(1))).toMatchObject([
        { outcome: 'stored' },
        { outcome: 'stored' },
      ])
      expect(await store.accounts.find('first')).toEqual({ id: 'first', name: 'Name of first' })
      expect((await store.events.find('first', 'live', drafts[2]!.id))?.body).toContain('"name":"Name of first"')
      expect((await createdAccounts(store)).toSorted()).toEqual(['first', 'second'])
    })

    it('creates no account by publishing if an event of the call is refused, or if the account was deleted', async ({
      store,
    }) => {
      const known = await addAccount(store)
      const taken = { idempotencyKey: 'k', digests: ['k1.one'] }
      await publish(store, draft(known, taken))
      const gone = await addAccount(store)
      await store.accounts.delete(gone.id, ENTRY)
      const wanted = newlyNamed('new')
      const fresh = (): EventDraft => ({ ...draft(wanted), newAccount: wanted })
      for (const [other, outcome] of [
        [draft(known, { ...taken, digests: ['k1.other'] }), 'conflict'],
        [draft(newAccount()), 'account_unknown'],
        [{ ...draft(gone), newAccount: newlyNamed(gone.id) }, 'account_unknown'],
      ] as const) {
        expect((await store.events.publishDrafts([fresh(), other]))[1]?.outcome).toBe(outcome)
        expect(await store.accounts.find('new')).toBeUndefined()
      }
      expect(await createdAccounts(store)).toEqual([])
    })

    it('uses an account’s new name for events published from then on, and leaves stored events unchanged', async ({
      store,
    }) => {
      const account = await addAccount(store, { name: 'Old' })
      const [before, after] = [draft(account), draft(account)]
      await publish(store, before)
      expect(await store.accounts.rename({ id: account.id, name: 'New' }, ENTRY)).toBe(true)
      await publish(store, after)
      expect((await store.events.find(account.id, 'live', before.id))?.body).toContain('"name":"Old"')
      expect((await store.events.find(account.id, 'live', after.id))?.body).toContain('"name":"New"')
      expect(await store.accounts.find(account.id)).toEqual({ id: account.id, name: 'New' })
    })

    it('lists accounts in the byte order of their ids, without deleted ones', async ({ store }) => {
      for (const id of ['b', '😀', '\uff5e', 'a', 'B', 'gone']) await addAccount(store, { id, name: `Account ${id}` })
      await store.accounts.delete('gone', ENTRY)
      const first = await store.accounts.list({ after: '', limit: 3 })
      expect(first.map(({ id }) => id)).toEqual(['B', 'a', 'b'])
      const rest = await store.accounts.list({ after: 'b', limit: 3 })
      expect(rest).toEqual([
        { id: '\uff5e', name: 'Account \uff5e' },
        { id: '😀', name: 'Account 😀' },
      ])
    })

    it('finds the account and mode of a key, a subscription and an event', async ({ store }) => {
      await addSubscriber(store)
      for (const mode of ['live', 'test'] as const) {
        const account = await addAccount(store)
        const key = await addKey(store, account, { mode })
        const [kept, removed] = [await addSubscription(store, key), await addSubscription(store, key)]
        await remove(store, removed)
        const event = draft(account, { mode })
        await publish(store, event)
        for (const { id } of [key, kept, removed, event])
          expect(await store.accounts.ownersOf(id), id).toEqual([{ accountId: account.id, mode }])
      }
      for (const id of [createId('key'), createId('sub'), createId('evt'), createId('att'), 'no id'])
        expect(await store.accounts.ownersOf(id), id).toEqual([])
    })

    it('finds every account and mode that has published an event with the same id', async ({ store }) => {
      const [one, other] = [await addAccount(store), await addAccount(store)]
      const event = draft(other)
      await publish(store, event)
      await publish(store, { ...draft(one, { mode: 'test' }), id: event.id })
      await publish(store, { ...draft(one), id: event.id })
      expect(await store.accounts.ownersOf(event.id)).toEqual([
        { accountId: one.id, mode: 'live' },
        { accountId: one.id, mode: 'test' },
        { accountId: other.id, mode: 'live' },
      ])
    })

    it.for(['live', 'test'] as const)('deletes all data of an account in mode %s', async (mode, { store }) => {
      const account = await addAccount(store)
      const key = await addKey(store, account, { mode })
      const subscription = await addSubscription(store, key)
      const event = draft(account, { mode })
      await feedDrafts(store, event)

      expect(await store.accounts.delete(account.id, ENTRY)).toBe(true)
      expect(await store.accounts.find(account.id)).toBeUndefined()
      expect(await keysOf(store, account.id)).toEqual([])
      expect(await store.subscriptions.list(account.id, mode)).toEqual([])
      expect(await store.subscriptions.find(subscription)).toBeUndefined()
      expect(await store.events.find(account.id, mode, event.id)).toBeUndefined()
      expect(await leaseDue(store)).toEqual([])
      expect(await store.admission.admitRequest({ tokenHash: key.tokenHash, limits: WIDE_LIMITS })).toEqual({
        outcome: 'unknown',
      })
      expect(await store.admission.identify(key.tokenHash)).toBeUndefined()
    })

    it('accepts nothing for a deleted account, and never reuses its id', async ({ store }) => {
      const account = await addAccount(store)
      expect(await store.accounts.delete(account.id, ENTRY)).toBe(true)
      expect(await store.accounts.delete(account.id, ENTRY)).toBe(true)
      expect(await store.keys.issueKey(newKey(account), 1, ENTRY)).toEqual({ outcome: 'account_unknown' })
      expect((await store.events.publishDrafts([draft(account)]))[0]?.outcome).toBe('account_unknown')
      expect(await store.accounts.rename(account, ENTRY)).toBe(false)
      expect(await store.accounts.createAccounts([newlyNamed(account.id)])).toEqual({
        created: [],
        deleted: [account.id],
      })
      expect(await store.accounts.delete('nobody', ENTRY)).toBe(false)
    })

    it('fences the workers that hold lanes of a deleted account', async ({ store }) => {
      const { account } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      await store.accounts.delete(account.id, ENTRY)
      expect((await store.deliveries.checkLeases([lane.lease]))[0]?.deliverable).toBe(false)
      expect((await settleLane(store, lane)).fenced).toEqual([lane.lease])
    })

    it('leaves nothing of an account, even if other calls add to the account while it is deleted', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const ids = await feed(store, account, 3)
      const lane = await leaseLane(store)
      await disable(store, subscription)
      const work = [
        () => store.events.publishDrafts([draft(account)]),
        () => create(store, newSubscription(key)),
        () => enable(store, subscription, ['platform']),
        () => store.keys.issueKey(newKey(account), 10, ENTRY),
        () => store.deliveryLog.resend(subscription, ids[0]!, ENTRY),
        () => settleLane(store, lane, { attempts: [attemptOf(ids[0]!, { outcome: 'exhausted' })], ended: [ids[0]!] }),
        () => store.admission.admitRequest({ tokenHash: key.tokenHash, limits: WIDE_LIMITS }),
      ]
      const [first, ...rest] = [...work, ...work]
      const racing = [first!(), store.accounts.delete(account.id, ENTRY), ...rest.map((call) => call())]
      for (const result of await Promise.allSettled(racing))
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'ACCOUNT_UNKNOWN' })
      await retainAll(store, horizons())
      expect(await keysOf(store, account.id)).toEqual([])
      expect(await store.subscriptions.list(account.id, 'live')).toEqual([])
      expect(await store.subscriptions.typesInUse()).toEqual([])
      expect(await store.deliveryLog.attempts(subscription, ALL_ATTEMPTS)).toEqual([])
      const page = {
        accountId: account.id,
        mode: 'live',
        type: undefined,
        after: undefined,
        personalData: false,
      } as const
      expect((await store.events.pageEvents({ ...page, limit: 100, horizonMs: 1e12 })).events).toEqual([])
      expect((await store.deliveries.backlog()).outbox).toBe(0)
      expect(await leaseDue(store)).toEqual([])
    })

    it('leaves other accounts unchanged when it deletes an account', async ({ store }) => {
      const { account } = await addSubscriber(store)
      const other = await addSubscriber(store)
      await publish(store, draft(account), draft(other.account))
      await store.accounts.delete(account.id, ENTRY)
      await store.deliveries.sequence(10)
      expect((await leaseLane(store)).lease).toMatchObject({ accountId: other.account.id, id: other.subscription.id })
      expect(
        (await store.admission.admitRequest({ tokenHash: other.key.tokenHash, limits: WIDE_LIMITS })).outcome,
      ).toBe('admitted')
    })
  })
}

function newlyNamed(id: string): NewAccount {
  return accountToCreate({ id, name: `Name of ${id}` })
}

async function createdAccounts(store: Store<unknown>): Promise<(string | undefined)[]> {
  const all = { accountId: undefined, mode: undefined, objectId: undefined, before: undefined, limit: 100 }
  const entries = await store.audit.list(all)
  return entries.filter(({ action }) => action === 'account.created').map(({ accountId }) => accountId)
}
