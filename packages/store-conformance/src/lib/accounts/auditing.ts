import { createId } from '@callboard/core'
import { type AuditDraft, FAILING_RULE, type RequestOf, type SubscriptionAct, UNDELIVERED } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { addAccount, addSubscriber, feed } from '../arranging/arrange.ts'
import { newImport, newKey, newSubscription } from '../arranging/inputs.ts'
import { attemptOf, leaseLane, settleLane, settlementOf } from '../arranging/lanes.ts'
import { HOUR_MS, horizons, NOTHING, retainAll } from '../arranging/retention-passes.ts'
import type { StoreIt } from '../arranging/store-it.ts'
import {
  change,
  disable,
  enable,
  importAll,
  ROOMY,
  remove,
  rotateSecret,
  skipToNow,
} from '../arranging/subscription-acts.ts'

type AuditRequest = RequestOf<'audit', 'list'>

const ALL: AuditRequest = { accountId: undefined, mode: undefined, objectId: undefined, before: undefined, limit: 100 }

const DRAFT: AuditDraft = {
  actor: { type: 'operator', id: 'ada' },
  action: 'key.revoked',
  accountId: 'acc',
  mode: 'live',
  objectId: createId('key'),
  details: { disabledSubscriptions: 2, scopes: ['a', 'b'], note: 'ä "', all: true },
}

export function describeAuditing(it: StoreIt): void {
  describe('the audit trail', () => {
    it('keeps entries as they were recorded, newest first', async ({ store }) => {
      const bare: AuditDraft = {
        actor: { type: 'platform', id: undefined },
        action: 'versions.moved',
        accountId: undefined,
        mode: undefined,
        objectId: undefined,
        details: {},
      }
      for (const draft of [DRAFT, bare]) await store.audit.recordEntry(draft)
      const stored = { number: expect.any(Number), at: expect.any(Date) }
      const [newest, oldest] = await store.audit.list(ALL)
      expect([newest, oldest]).toEqual([
        { ...bare, ...stored },
        { ...DRAFT, ...stored },
      ])
      expect(newest!.number).toBeGreaterThan(oldest!.number)
    })

    it('lists twelve entries newest first, however many digits their numbers have', async ({ store }) => {
      const names = Array.from({ length: 12 }, (_, n) => `op ${n}`)
      for (const id of names) await store.audit.recordEntry({ ...DRAFT, actor: { type: 'operator', id } })
      const listed = async (asked: Partial<AuditRequest>) =>
        (await store.audit.list({ ...ALL, ...asked })).map(({ actor }) => actor.id)
      for (const by of [{}, { accountId: 'acc' }, { objectId: DRAFT.objectId }])
        expect(await listed(by)).toEqual(names.toReversed())
    })

    it('lists the entries of an account, of a mode and of an object, page by page', async ({ store }) => {
      const subscription = createId('sub')
      for (const draft of [
        DRAFT,
        { ...DRAFT, accountId: 'other' },
        { ...DRAFT, mode: 'test' as const },
        { ...DRAFT, mode: undefined },
        { ...DRAFT, action: 'secret.rotated' as const, objectId: subscription },
      ])
        await store.audit.recordEntry(draft)
      const [first, ...others] = (await store.audit.list(ALL)).map(({ number }) => number).reverse()
      const numbers = async (asked: Partial<AuditRequest>): Promise<number[]> =>
        (await store.audit.list({ ...ALL, ...asked })).map(({ number }) => number - first!)
      expect(others).toHaveLength(4)
      expect(await numbers({ accountId: 'acc' })).toEqual([4, 3, 2, 0])
      expect(await numbers({ accountId: 'acc', mode: 'live' })).toEqual([4, 3, 0])
      expect(await numbers({ objectId: subscription })).toEqual([4])
      expect(await numbers({ accountId: 'other', objectId: subscription })).toEqual([])
      expect(await numbers({ objectId: 'no id' })).toEqual([])
      expect(await numbers({ accountId: 'acc', limit: 2 })).toEqual([4, 3])
      expect(await numbers({ accountId: 'acc', before: first! + 3, limit: 2 })).toEqual([2, 0])
    })

    it('records a change with its entry, and nothing for a call that is refused or changes nothing', async ({
      store,
    }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const [event] = await feed(store, account, 1)
      await settleLane(store, await leaseLane(store), { attempts: [attemptOf(event!, { outcome: 'delivered' })] })
      const { keys, accounts, versions, deliveryLog } = store
      const entry = { ...DRAFT, details: { note: 'n' } }
      const issued = newKey(account)
      const successor = { id: createId('key'), tokenHash: newKey(account).tokenHash, expiresAt: undefined }
      const rotation = { accountId: account.id, keyId: issued.id, successor, overlapMs: 1000 }
      const range = { states: UNDELIVERED, from: new Date(0), to: undefined, after: undefined, limit: 10 }
      const calls: [what: string, entries: number, call: () => Promise<unknown>][] = [
        ['a rename', 1, () => accounts.rename({ ...account, name: 'New' }, entry)],
        ['the same name', 0, () => accounts.rename({ ...account, name: 'New' }, entry)],
        ['no account', 0, () => accounts.rename({ id: 'nobody', name: 'New' }, entry)],
        ['a key beyond the limit', 0, () => keys.issueKey(issued, 1, entry)],
        ['a key', 1, () => keys.issueKey(issued, 10, entry)],
        ['the key again', 0, () => keys.issueKey(issued, 10, entry)],
        ['a version', 1, () => keys.setApiVersion(account.id, issued.id, '2026-11-01', entry)],
        ['the same version', 0, () => keys.setApiVersion(account.id, issued.id, '2026-11-01', entry)],
        ['a rotation', 1, () => keys.rotateKey(rotation, entry)],
        ['a second rotation', 0, () => keys.rotateKey(rotation, entry)],
        ['an unused version', 0, () => versions.moveVersion('2025-01-01', '2026-12-01', entry)],
        ['a move', 1, () => versions.moveVersion('2026-11-01', '2026-12-01', entry)],
        ['an empty range', 0, () => deliveryLog.resendRange(subscription, range, entry)],
        ['a resend', 1, () => deliveryLog.resend(subscription, event!, entry)],
        ['a resend of a retry', 1, () => deliveryLog.resend(subscription, event!, entry)],
        ['a revocation', 1, () => keys.revokeKey(account.id, key.id, entry)],
        ['a second revocation', 0, () => keys.revokeKey(account.id, key.id, entry)],
        ['a revocation that disables nothing', 1, () => keys.revokeKey(account.id, issued.id, entry)],
        ['a resend while disabled', 0, () => deliveryLog.resend(subscription, event!, entry)],
        ['a deletion', 1, () => accounts.delete(account.id, entry)],
        ['a second deletion', 0, () => accounts.delete(account.id, entry)],
      ]
      for (const [what, entries, call] of calls) {
        const before = await store.audit.list(ALL)
        await call()
        const after = await store.audit.list(ALL)
        expect(after.length - before.length, what).toBe(entries)
        if (entries > 0) expect(after[0], what).toMatchObject(entry)
      }
    })

    it('adds to an entry how much was disabled or moved', async ({ store }) => {
      const { account, key } = await addSubscriber(store)
      await store.versions.moveVersion(key.apiVersion, '2026-12-01', DRAFT)
      await store.keys.revokeKey(account.id, key.id, { ...DRAFT, details: {} })
      const [revoked, moved] = await store.audit.list(ALL)
      expect(revoked!.details).toEqual({ disabledSubscriptions: 1 })
      expect(moved!.details).toEqual({ ...DRAFT.details, subscriptions: 1, keys: 1 })
    })

    it('records the first step of a range that is resent, even if only a later step finds anything', async ({
      store,
    }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 2)
      const range = { states: ['pending'] as const, from: new Date(0), to: undefined, limit: 1 }
      const first = await store.deliveryLog.resendRange(subscription, { ...range, after: undefined }, DRAFT)
      expect(first).toMatchObject({ resent: 0 })
      expect(await store.audit.list({ ...ALL, accountId: 'acc' })).toMatchObject([DRAFT])
      await store.deliveryLog.resendRange(subscription, { ...range, after: { position: 0, eventId: undefined } }, DRAFT)
      expect(await store.audit.list({ ...ALL, accountId: 'acc' })).toMatchObject([DRAFT])
    })

    it.for<[string, SubscriptionAct, SubscriptionAct | undefined]>([
      ['revise', { act: 'revise', changes: { description: 'Books', personalData: true } }, undefined],
      ['disable', { act: 'disable', reason: 'gone', replaces: [] }, undefined],
      ['enable', { act: 'enable', from: ['failing'] }, { act: 'disable', reason: 'failing', replaces: [] }],
      ['set the ordering', { act: 'set_ordering', ordering: 'subject' }, undefined],
      ['remove', { act: 'remove', sources: ['api'] }, undefined],
    ])(
      'records an act once: to %s a second time changes nothing, and leaves no entry',
      async ([, act, first], { store }) => {
        const { subscription } = await addSubscriber(store)
        if (first !== undefined) await change(store, subscription, first)
        const before = await store.audit.list(ALL)
        const entry: AuditDraft = { ...DRAFT, action: 'subscription.changed', objectId: subscription.id }
        const acted = () => store.subscriptions.changeSubscription(subscription, act, entry)
        expect((await acted()).outcome).toBe('changed')
        expect((await acted()).outcome).toBe('unchanged')
        const fields = act.act === 'revise' ? { fields: ['personalData', 'description'] } : {}
        const details = { ...entry.details, ...fields }
        expect((await store.audit.list(ALL)).slice(0, -before.length || undefined)).toEqual([
          { ...entry, details, number: expect.any(Number), at: expect.any(Date) },
        ])
      },
    )

    it('records no act that is refused or unknown, and each skip and rotation', async ({ store }) => {
      const { subscription } = await addSubscriber(store)
      const entries = async () => (await store.audit.list(ALL)).length
      const before = await entries()
      for (const count of [1, 2]) {
        expect(await skipToNow(store, subscription)).toBe('changed')
        expect(await rotateSecret(store, subscription, `sealed-${count + 1}`, 0, `sealed-${count}`)).toBe('changed')
        expect(await entries()).toBe(before + 2 * count)
      }
      expect(await rotateSecret(store, subscription, 'sealed-4', 0, 'sealed-1')).toBe('refused')
      expect(await disable(store, { ...subscription, id: createId('sub') })).toBe('unknown')
      await disable(store, subscription)
      expect(await skipToNow(store, subscription)).toBe('refused')
      expect(await enable(store, subscription, ['gone'])).toBe('refused')
      expect(await entries()).toBe(before + 5)
    })

    it('records that a subscription was created, and that a repeated create confirmed it', async ({ store }) => {
      const { key } = await addSubscriber(store)
      const input = newSubscription(key)
      const again = { ...input, id: createId('sub') }
      const create = (each: typeof input) =>
        store.subscriptions.createSubscription(each, ROOMY, {
          ...DRAFT,
          action: 'subscription.created',
          objectId: each.id,
        })
      await create(input)
      await create(again)
      expect(await store.audit.list({ ...ALL, objectId: again.id })).toEqual([])
      await disable(store, input, 'gone')
      await create(again)
      expect(await store.audit.list({ ...ALL, objectId: input.id })).toMatchObject([
        { ...DRAFT, action: 'subscription.confirmed', objectId: input.id },
        { ...DRAFT, action: 'subscription.created', objectId: input.id },
      ])
    })

    it('finds keys and subscriptions by their ids, also after they were revoked or removed', async ({ store }) => {
      const { account, key, subscription } = await addSubscriber(store)
      const unknown = newKey(account, { lastCharacters: undefined })
      await store.keys.issueKey(unknown, 10, DRAFT)
      const named = newImport(account, { mode: 'test', externalRef: 'zap_7', description: 'CRM' })
      expect(await importAll(store, [named])).toEqual(['imported'])
      await store.keys.revokeKey(account.id, key.id, DRAFT)
      await remove(store, subscription)
      const ids = [key.id, unknown.id, subscription.id, named.id]
      const found = await store.audit.findObjects([...ids, createId('key'), createId('sub'), 'no id', 'wh_none'])
      expect(ids.map((id) => found.find((each) => each.id === id))).toMatchObject([
        { key: { name: 'zap', lastCharacters: 'x7Qp' } },
        { key: { name: 'zap', lastCharacters: undefined } },
        { subscription: { description: undefined, externalRef: undefined, targetUrl: subscription.targetUrl } },
        { subscription: { description: 'CRM', externalRef: 'zap_7', targetUrl: named.targetUrl } },
      ])
      expect(found).toHaveLength(ids.length)
    })

    it('says how long an account must wait until its keys and viewers may change something', async ({
      store,
      advance,
    }) => {
      const byViewer: AuditDraft = { ...DRAFT, actor: { type: 'viewer', id: 'usr_1' } }
      const byKey: AuditDraft = { ...DRAFT, mode: 'test', actor: { type: 'key', id: 'key_1' } }
      for (const draft of [byViewer, DRAFT, DRAFT, { ...byKey, accountId: 'other' }])
        await store.audit.recordEntry(draft)
      expect(await store.audit.untilRoom('acc', 2)).toBe(0)
      await advance(10_000)
      await store.audit.recordEntry(byKey)
      const wait = await store.audit.untilRoom('acc', 2)
      expect(wait).toBeGreaterThan(30_000)
      expect(wait).toBeLessThanOrEqual(50_000)
      expect(await store.audit.untilRoom('acc', 3)).toBe(0)
      await advance(50_000)
      expect(await store.audit.untilRoom('acc', 2)).toBe(0)
    })

    it('tells why a worker disabled a subscription', async ({ store }) => {
      const { account, subscription } = await addSubscriber(store)
      await feed(store, account, 1)
      const lane = await leaseLane(store)
      await store.deliveries.settle(
        [settlementOf(lane!, { settledThrough: lane!.settledThrough, disable: 'gone' })],
        FAILING_RULE,
      )
      expect(await store.audit.list({ ...ALL, accountId: account.id, limit: 1 })).toMatchObject([
        {
          actor: { type: 'worker', id: undefined },
          action: 'subscription.disabled',
          mode: subscription.mode,
          objectId: subscription.id,
          details: { reason: 'gone' },
        },
      ])
    })

    it('outlives the account, until retention removes it', async ({ store, advance }) => {
      const { id } = await addAccount(store)
      await store.accounts.delete(id, { ...DRAFT, accountId: id })
      await advance(2 * HOUR_MS)
      await store.audit.recordEntry(DRAFT)
      const kept = horizons({ auditMs: 3 * HOUR_MS })
      expect(await retainAll(store, kept)).toEqual(NOTHING)
      expect(await store.audit.list({ ...ALL, accountId: id })).toHaveLength(1)
      expect(await retainAll(store, { ...kept, auditMs: HOUR_MS }, 1)).toEqual({ ...NOTHING, auditEntries: 2 })
      expect(await store.audit.list(ALL)).toMatchObject([DRAFT])
    })
  })
}
