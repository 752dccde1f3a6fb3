import { engineOf } from '@callboard/core/engine'
import { describe, expect } from 'vitest'
import { callerOf, issueKey, orderPaidEvent } from './arrange.ts'
import { describeOnEachStore, type SampleCallboard } from './on-each-store.ts'

const TARGET = 'https://example.com/secret-path'

async function subscribe(callboard: SampleCallboard, token: string): Promise<string> {
  const { apiSubscriptions } = engineOf(callboard)
  const input = { targetUrl: TARGET, eventTypes: ['order.paid'], integration: 'zapier' }
  return (await apiSubscriptions.create(await callerOf(callboard, token), input)).id
}

describeOnEachStore('the audit trail', {
  any: (it) => {
    describe('the actor of an entry', () => {
      it('is the key, the person, the operator or the platform', async ({ callboard }) => {
        const key = await issueKey(callboard)
        const id = await subscribe(callboard, key.token)
        const ref = { accountId: 'acc', id }
        const person = callboard.as({ type: 'viewer', id: 'usr_7' })
        await person.subscriptions.rotateSecret({ ...ref, id: (await createOwn(callboard)).id, by: 'account' })
        const operator = callboard.as({ type: 'operator', id: 'ada' })
        await operator.subscriptions.disable({ ...ref, by: 'platform' })
        await engineOf(callboard).apiSubscriptions.remove(await callerOf(callboard, key.token), id)
        const { entries, nextCursor } = await callboard.audit.list({ accountId: 'acc' })
        expect(nextCursor).toBeNull()
        expect(entries.map(({ actor, action }) => [actor.type, actor.id, action]).reverse()).toEqual([
          ['platform', undefined, 'account.created'],
          ['platform', undefined, 'key.issued'],
          ['key', key.id, 'subscription.created'],
          ['platform', undefined, 'subscription.created'],
          ['viewer', 'usr_7', 'secret.rotated'],
          ['operator', 'ada', 'subscription.disabled'],
          ['key', key.id, 'subscription.removed'],
        ])
      })

      it('is never an e-mail address', ({ callboard }) => {
        expect(() => callboard.as({ type: 'viewer', id: 'ada@example.com' })).toThrow('opaque id')
        expect(() => callboard.as({ type: 'viewer', id: '' })).toThrow('actor.id')
      })
    })

    it('holds no secret, no target, no name and no personal data', async ({ callboard, open }) => {
      const { token, id: keyId } = await issueKey(callboard, { name: 'Bob’s key' })
      const own = await createOwn(callboard)
      const ref = { accountId: 'acc', id: own.id }
      const secret = await callboard.subscriptions.rotateSecret({ ...ref, by: 'account' })
      await callboard.subscriptions.change({
        ...ref,
        targetUrl: 'https://example.com/other-path',
        description: 'of Bob',
      })
      await callboard.accounts.rename({ id: 'acc', name: 'Bob Ltd' })
      const { id: eventId } = await callboard.publish(orderPaidEvent())
      await callboard.deliveries.resend({ ...ref, subscriptionId: ref.id, eventId })
      await callboard.deliveries.resendRange({ ...ref, subscriptionId: ref.id, from: new Date(0) })
      await callboard.erasure.person({ accountId: 'acc', personId: 'per_1' })
      const { token: next } = await callboard.keys.rotate({ accountId: 'acc', id: keyId })
      const { entries } = await callboard.audit.list({ limit: 100 })
      const text = JSON.stringify(entries)
      for (const hidden of [token, next, own.secret, secret, 'path', 'Bob', 'per_1', 'ada@'])
        expect(text).not.toContain(hidden)
      expect(entries).toContainEqual(
        expect.objectContaining({
          action: 'subscription.changed',
          objectId: own.id,
          details: { fields: ['targetUrl', 'description'] },
        }),
      )
      expect(entries).toContainEqual(
        expect.objectContaining({ action: 'personal_data.erased', details: { events: 1, late: 0, responses: 0 } }),
      )
      expect(await open().audit.list({ limit: 100 })).toEqual({ entries, nextCursor: null })
    })

    it('has no entry for a refused call', async ({ callboard }) => {
      const before = await callboard.audit.list()
      await expect(callboard.accounts.create({ id: 'acc', name: 'Again' })).rejects.toThrow()
      await expect(callboard.keys.revoke({ accountId: 'acc', id: 'key_1' })).rejects.toThrow()
      await expect(callboard.subscriptions.enable({ accountId: 'acc', id: 'sub_1', by: 'platform' })).rejects.toThrow()
      expect(await callboard.audit.list()).toEqual(before)
    })

    it('has no entry for a call that changes nothing', async ({ callboard }) => {
      const key = await issueKey(callboard)
      const other = await issueKey(callboard)
      const api = engineOf(callboard).apiSubscriptions
      const ref = { accountId: 'acc', id: await subscribe(callboard, key.token) }
      const own = { accountId: 'acc', id: (await createOwn(callboard)).id }
      const { current: apiVersion } = engineOf(callboard).formats
      const { accounts, keys, subscriptions } = callboard
      const by = { by: 'platform' } as const
      const ordering = () => subscriptions.setOrdering({ ...own, ordering: 'subject' })
      await ordering()
      await subscriptions.change({ ...own, description: 'Accounting' })
      await subscriptions.disable({ ...own, ...by })
      const revoked = await issueKey(callboard)
      await keys.revoke({ accountId: 'acc', id: revoked.id })
      await accounts.create({ id: 'gone', name: 'Gone' })
      await accounts.delete({ id: 'gone' })
      const before = await callboard.audit.list({ limit: 100 })
      const { name = '' } = (await accounts.find({ id: 'acc' })) ?? {}
      const calls: Record<string, () => Promise<unknown>> = {
        'a repeated POST': () => subscribe(callboard, key.token),
        'a PATCH to the same version': async () =>
          api.change(await callerOf(callboard, other.token), ref.id, { apiVersion }),
        'enabling an active subscription': () => subscriptions.enable({ ...ref, ...by }),
        'disabling a disabled one': () => subscriptions.disable({ ...own, ...by }),
        'an empty change': () => subscriptions.change({ ...own }),
        'a change to the same values': () =>
          subscriptions.change({ ...own, description: 'Accounting', targetUrl: TARGET }),
        'the same ordering': ordering,
        'the same version': () => subscriptions.setApiVersion({ ...own, apiVersion, ...by }),
        'the same version of a key': () => keys.setApiVersion({ accountId: 'acc', id: key.id, apiVersion }),
        'revoking a revoked key': () => keys.revoke({ accountId: 'acc', id: revoked.id }),
        'the same name': () => accounts.rename({ id: 'acc', name }),
        'deleting a deleted account': () => accounts.delete({ id: 'gone' }),
        'resending an empty range': () =>
          callboard.deliveries.resendRange({ ...ref, subscriptionId: ref.id, from: new Date(0) }),
      }
      for (const [what, call] of Object.entries(calls)) {
        await call()
        expect((await callboard.audit.list({ limit: 100 })).entries[0], what).toEqual(before.entries[0])
      }
      expect(await subscriptions.find(ref)).toMatchObject({ confirmedBy: key.id })
    })

    it('names only the fields that a change has changed', async ({ callboard }) => {
      const { id } = await createOwn(callboard)
      const changes = { targetUrl: TARGET, eventTypes: ['order.paid'], description: 'Accounting', personalData: false }
      await callboard.subscriptions.change({ accountId: 'acc', id, ...changes })
      const { entries } = await callboard.audit.list({ objectId: id })
      expect(entries[0]).toMatchObject({ action: 'subscription.changed', details: { fields: ['description'] } })
    })

    it('records a POST by another key, and the deletion of an account once', async ({ callboard }) => {
      const key = await issueKey(callboard)
      const id = await subscribe(callboard, key.token)
      const other = await issueKey(callboard)
      await subscribe(callboard, other.token)
      const { entries } = await callboard.audit.list({ objectId: id })
      expect(entries[0]).toMatchObject({ action: 'subscription.confirmed', actor: { id: other.id } })
      for (let calls = 0; calls < 2; calls++) await callboard.accounts.delete({ id: 'acc' })
      const actions = (await callboard.audit.list({ accountId: 'acc' })).entries.map(({ action }) => action)
      expect(actions.filter((action) => action === 'account.deleted')).toHaveLength(1)
    })

    it('is read page by page, with cursors that fit no other list', async ({ callboard }) => {
      for (let name = 0; name < 3; name++) await issueKey(callboard)
      const first = await callboard.audit.list({ accountId: 'acc', limit: 2 })
      const cursor = first.nextCursor
      expect((await callboard.audit.list({ accountId: 'acc', limit: 2, cursor })).entries).toHaveLength(2)
      await expect(callboard.audit.list({ limit: 2, cursor })).rejects.toThrow('cursor')
    })
  },
})

function createOwn(callboard: SampleCallboard) {
  return callboard.subscriptions.create({
    accountId: 'acc',
    targetUrl: TARGET,
    eventTypes: ['order.paid'],
    integration: 'other',
    personalData: false,
  })
}
