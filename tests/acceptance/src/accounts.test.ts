import { engineOf } from '@callboard/core/engine'
import { createRouter } from '@callboard/router'
import { expect } from 'vitest'
import { callerOf, envelopes, issueKey, newCaller, orderPaidEvent } from './arrange.ts'
import { describeOnEachStore, type SampleCallboard } from './on-each-store.ts'

async function admit(callboard: SampleCallboard, token: string): Promise<string> {
  return (await engineOf(callboard).admissions.admit(`Bearer ${token}`)).outcome
}

const HOOK = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'], integration: 'zapier' }

async function subscribe(callboard: SampleCallboard, token: string) {
  return engineOf(callboard).apiSubscriptions.create(await callerOf(callboard, token), HOOK)
}

describeOnEachStore('accounts', {
  any(it) {
    it('are created once', async ({ callboard }) => {
      await expect(callboard.accounts.create({ id: 'acc', name: 'Again' })).rejects.toMatchObject({
        code: 'ACCOUNT_EXISTS',
      })
      await expect(callboard.accounts.find({ id: 'acc' })).resolves.toEqual({ id: 'acc', name: 'Acme' })
    })

    it('cannot be created or renamed with an invalid id or name', async ({ callboard }) => {
      const wrong = [
        ['id', { id: '', name: 'A' }],
        ['id', { id: 'a\u0000', name: 'A' }],
        ['id', { id: 'a'.repeat(256), name: 'A' }],
        ['name', { id: 'a', name: '' }],
        ['name', { id: 'a', name: 'A\ud800' }],
        ['name', { id: 'a', name: 'A\n' }],
      ] as const
      for (const [path, account] of wrong)
        for (const verb of ['create', 'rename'] as const)
          await expect(callboard.accounts[verb](account)).rejects.toMatchObject({
            code: 'VALIDATION_FAILED',
            issues: [{ path }],
          })
    })

    it('can have ids and names of 255 code points, but no id over 512 bytes, because no index could hold it', async ({
      callboard,
    }) => {
      for (const id of ['a'.repeat(255), 'é'.repeat(255), '😀'.repeat(128)]) {
        const account = { id, name: '😀'.repeat(255) }
        await callboard.accounts.create(account)
        await expect(callboard.accounts.find({ id })).resolves.toEqual(account)
        const subject = { type: id, id }
        await expect(callboard.publish({ ...orderPaidEvent({ accountId: id }), subject })).resolves.toMatchObject({
          subject,
        })
      }
      await expect(callboard.accounts.create({ id: '😀'.repeat(129), name: 'A' })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        message: expect.stringContaining('512 bytes'),
      })
    })

    it('can be renamed; their keys and later events then show the new name', async ({ callboard }) => {
      const { token } = await issueKey(callboard)
      await callboard.accounts.rename({ id: 'acc', name: 'Acme Ltd' })
      await expect(callerOf(callboard, token)).resolves.toMatchObject({ account: { id: 'acc', name: 'Acme Ltd' } })
      await expect(callboard.accounts.rename({ id: 'nobody', name: 'N' })).rejects.toMatchObject({
        code: 'ACCOUNT_UNKNOWN',
      })
    })

    it('are looked up only by strings that could be ids', async ({ callboard }) => {
      const accountId = 'a\u0000b'
      const ref = { accountId, id: 'sub_none' }
      const event = { accountId, id: 'evt_none' }
      const { accounts, keys, events, subscriptions, deliveries } = callboard
      for (const [path, call] of [
        ['id', () => accounts.find({ id: accountId })],
        ['id', () => accounts.delete({ id: accountId })],
        ['accountId', () => keys.list({ accountId })],
        ['accountId', () => keys.rotate({ accountId, id: 'key_none' })],
        ['accountId', () => keys.revoke({ accountId, id: 'key_none' })],
        ['accountId', () => events.page({ accountId })],
        ['accountId', () => events.find(event)],
        ['accountId', () => subscriptions.list({ accountId })],
        ['accountId', () => subscriptions.find(ref)],
        ['accountId', () => subscriptions.enable({ ...ref, by: 'platform' })],
        ['accountId', () => subscriptions.disable({ ...ref, by: 'platform' })],
        ['accountId', () => subscriptions.rotateSecret({ ...ref, by: 'platform' })],
        ['accountId', () => deliveries.attempts({ ...ref, subscriptionId: ref.id })],
        ['accountId', () => deliveries.list({ ...ref, subscriptionId: ref.id })],
        ['accountId', () => deliveries.resend({ ...ref, subscriptionId: ref.id, eventId: 'evt_none' })],
        ['accountId', () => deliveries.ofEvent({ ...event, eventId: event.id })],
        ['accountId', () => deliveries.attemptsOfEvent({ ...event, eventId: event.id })],
      ] as const)
        await expect(call()).rejects.toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ path }] })
    })

    it('that do not exist own nothing and cannot be deleted', async ({ callboard }) => {
      const id = 'nobody'
      await expect(callboard.accounts.find({ id })).resolves.toBeUndefined()
      await expect(callboard.accounts.delete({ id })).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' })
      expect((await callboard.keys.list({ accountId: id })).keys).toEqual([])
      await expect(callboard.subscriptions.list({ accountId: id })).resolves.toEqual([])
      await expect(envelopes(callboard, { accountId: id })).resolves.toEqual([])
    })

    it('are deleted together with all their data, without changes to other accounts', async ({ callboard }) => {
      await callboard.accounts.create({ id: 'other', name: 'Other' })
      const key = await issueKey(callboard)
      const other = await issueKey(callboard, { accountId: 'other' })
      const subscription = await subscribe(callboard, key.token)
      const kept = await subscribe(callboard, other.token)
      await callboard.publishMany([
        orderPaidEvent(),
        orderPaidEvent({ mode: 'test' }),
        orderPaidEvent({ accountId: 'other' }),
      ])
      await callboard.accounts.delete({ id: 'acc' })

      await expect(callboard.accounts.find({ id: 'acc' })).resolves.toBeUndefined()
      await expect(admit(callboard, key.token)).resolves.toBe('refused')
      expect((await callboard.keys.list({ accountId: 'acc' })).keys).toEqual([])
      await expect(callboard.subscriptions.find(subscription)).resolves.toBeUndefined()
      await expect(envelopes(callboard)).resolves.toEqual([])
      await expect(envelopes(callboard, { mode: 'test' })).resolves.toEqual([])
      await expect(callboard.publish(orderPaidEvent())).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' })
      await expect(callboard.accounts.delete({ id: 'acc' })).resolves.toBeUndefined()

      await expect(admit(callboard, other.token)).resolves.toBe('admitted')
      await expect(callboard.subscriptions.find(kept)).resolves.toMatchObject({ state: 'active' })
      await expect(envelopes(callboard, { accountId: 'other' })).resolves.toHaveLength(1)
      await expect(callboard.health()).resolves.toMatchObject({ outbox: { events: 1 } })
    })

    it('have an id that cannot be used again after their deletion', async ({ callboard }) => {
      await callboard.accounts.delete({ id: 'acc' })
      await expect(callboard.accounts.create({ id: 'acc', name: 'Another' })).rejects.toMatchObject({
        code: 'ACCOUNT_EXISTS',
      })
    })

    it('get no subscription after their deletion, even from a caller admitted before then', async ({ callboard }) => {
      const caller = await newCaller(callboard)
      await callboard.accounts.delete({ id: 'acc' })
      await expect(engineOf(callboard).apiSubscriptions.create(caller, HOOK)).rejects.toMatchObject({
        code: 'ACCOUNT_UNKNOWN',
      })
    })

    it('make the API answer 401 if they are deleted while their key creates a subscription', async ({
      callboard,
      fixture: { store },
      open,
    }) => {
      const { token } = await issueKey(callboard)
      const create: typeof store.subscriptions.createSubscription = async (...values) => {
        await callboard.accounts.delete({ id: 'acc' })
        return store.subscriptions.createSubscription(...values)
      }
      const router = createRouter(
        open({ store: { ...store, subscriptions: { ...store.subscriptions, createSubscription: create } } }),
      )
      const post = async () => {
        const response = await router.fetch(
          new Request('https://api.example.com/v1/webhooks/subscriptions', {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify(HOOK),
          }),
        )
        const { statusCode, errorCode, message, path } = await response.json()
        return { status: response.status, statusCode, errorCode, message, path }
      }
      const raced = await post()
      expect(raced).toMatchObject({ status: 401, errorCode: 'UNAUTHENTICATED' })
      expect(await post()).toEqual(raced)
    })
  },
  sql(it) {
    it('leave nothing but their audit trail in any table when they are deleted', async ({ callboard, fixture }) => {
      const key = await issueKey(callboard)
      await subscribe(callboard, key.token)
      await callboard.publish(orderPaidEvent({ subject: { type: 'order', id: 'ord_gone' } }))
      await fixture.store.deliveries.sequence(100)
      expect(await fixture.everything()).toContain('ord_gone')
      await callboard.accounts.delete({ id: 'acc' })
      const kept = (await fixture.everything())
        .split('\n')
        .filter((row) => !/^(migrations|sequencer|server_runs|retention|audit_entries) /.test(row))
      // The row that marks the deleted account's id as used.
      expect(kept).toEqual([expect.stringMatching(/^accounts \(acc,"",/)])
    })
  },
})
