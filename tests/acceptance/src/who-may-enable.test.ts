import type { Actor, DisabledReason, OwnedRef, SubscriptionRecord, SubscriptionWithSecret } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { Caller } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { actOn } from './act-on.ts'
import { callerOf, issueKey, newCaller, thrownBy } from './arrange.ts'
import { describeOnEachStore, type SampleCallboard } from './on-each-store.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'], integration: 'zapier' }
const OWNER = { accountId: 'acc' }

/** The actors that may enable the subscription, for each reason why it is disabled. */
const ENABLED_BY: Readonly<Record<DisabledReason, readonly (Actor | 'integration')[]>> = {
  gone: ['integration', 'account', 'platform'],
  failing: ['integration', 'account', 'platform'],
  key: ['integration', 'account', 'platform'],
  account: ['account', 'platform'],
  platform: ['platform'],
}
const REASONS = Object.keys(ENABLED_BY) as DisabledReason[]

/** Each row: why the subscription was disabled first, who then disables it again, and the reason it has afterwards. */
const DISABLED_OVER: readonly (readonly [DisabledReason, Actor, DisabledReason])[] = [
  ['gone', 'account', 'account'],
  ['failing', 'account', 'account'],
  ['key', 'account', 'account'],
  ['account', 'account', 'account'],
  ['platform', 'account', 'platform'],
  ['gone', 'platform', 'platform'],
  ['failing', 'platform', 'platform'],
  ['key', 'platform', 'platform'],
  ['account', 'platform', 'platform'],
  ['platform', 'platform', 'platform'],
]

describeOnEachStore('enabling', {
  any(it) {
    describe('a subscription that the account’s people created', () => {
      for (const reason of REASONS)
        for (const by of ['account', 'platform'] as const) {
          const may = ENABLED_BY[reason].includes(by)
          it(`${may ? 'can' : 'cannot'} be enabled by the ${by} if the reason is ${reason}`, async ({ callboard }) => {
            const { subscriptions } = callboard
            const made = await subscriptions.create({ ...OWNER, ...INPUT })
            await disabledFor(callboard, made, reason)
            if (may) {
              await subscriptions.enable({ ...made, by })
              expect(await stateOf(callboard, made)).toEqual(['active', undefined])
            } else {
              expect(await thrownBy(subscriptions.enable({ ...made, by }))).toMatchObject({
                code: 'DISABLED_BY_PLATFORM',
              })
              expect(await stateOf(callboard, made)).toEqual(['disabled', reason])
            }
          })
        }

      it('is not enabled when its creation is repeated, whatever the reason it was disabled for', async ({
        callboard,
      }) => {
        for (const reason of REASONS) {
          const input = { ...INPUT, idempotencyKey: reason }
          const made = await callboard.subscriptions.create({ ...OWNER, ...input })
          await disabledFor(callboard, made, reason)
          expect(await callboard.subscriptions.create({ ...OWNER, ...input }), reason).toMatchObject({
            id: made.id,
            created: false,
            state: 'disabled',
            disabledReason: reason,
          })
        }
      })

      it('stays active if somebody enables it while it is active', async ({ callboard }) => {
        const made = await callboard.subscriptions.create({ ...OWNER, ...INPUT })
        for (const by of ['account', 'platform'] as const) await callboard.subscriptions.enable({ ...made, by })
        expect(await stateOf(callboard, made)).toEqual(['active', undefined])
      })
    })

    describe('a subscription that an integration created', () => {
      for (const reason of REASONS) {
        const may = ENABLED_BY[reason].includes('integration')
        it(`${may ? 'is' : 'is not'} enabled by a repeated creation if the reason is ${reason}`, async ({
          callboard,
        }) => {
          const caller = await newCaller(callboard)
          const made = await createThroughApi(callboard, caller)
          await disabledFor(callboard, made, reason)
          const again = await createThroughApi(callboard, await newCaller(callboard))
          expect([again.id, again.created, again.secret]).toEqual([made.id, false, made.secret])
          const left = may ? ['active', undefined] : ['disabled', reason]
          expect([again.state, again.disabledReason]).toEqual(left)
          expect(await stateOf(callboard, made)).toEqual(left)
        })

        it(`can be enabled by the platform, but not the account, if the reason is ${reason}`, async ({ callboard }) => {
          const { subscriptions } = callboard
          const made = await createThroughApi(callboard, await newCaller(callboard))
          await disabledFor(callboard, made, reason)
          expect(await thrownBy(subscriptions.enable({ ...made, by: 'account' }))).toMatchObject({
            code: 'SUBSCRIPTION_MANAGED',
          })
          expect(await stateOf(callboard, made)).toEqual(['disabled', reason])
          await subscriptions.enable({ ...made, by: 'platform' })
          expect(await stateOf(callboard, made)).toEqual(['active', undefined])
        })
      }

      it('whose key was revoked can be enabled by the platform, but only with a valid key', async ({ callboard }) => {
        const { subscriptions, keys } = callboard
        const old = await issueKey(callboard)
        const made = await createThroughApi(callboard, await callerOf(callboard, old.token))
        await keys.revoke({ accountId: 'acc', id: old.id })
        const enable = (keyId?: string) => subscriptions.enable({ ...made, by: 'platform', keyId })
        const refused = (message: string) => ({
          code: 'VALIDATION_FAILED',
          issues: [{ path: 'keyId', message: expect.stringContaining(message) }],
        })
        expect(await thrownBy(enable())).toMatchObject(refused(`${old.id} is revoked or has expired`))
        const ofTests = await issueKey(callboard, { mode: 'test' })
        for (const id of [old.id, ofTests.id, 'key_1'])
          expect(await thrownBy(enable(id)), id).toMatchObject(refused(`no valid live key ${id}`))
        expect(await stateOf(callboard, made)).toEqual(['disabled', 'key'])
        const key = await issueKey(callboard)
        await enable(key.id)
        expect(await subscriptions.find(made)).toMatchObject({ state: 'active', confirmedBy: key.id })
        await keys.revoke({ accountId: 'acc', id: key.id })
        expect(await stateOf(callboard, made)).toEqual(['disabled', 'key'])
        const own = await subscriptions.create({ ...OWNER, ...INPUT })
        expect(await thrownBy(subscriptions.enable({ ...own, by: 'platform', keyId: key.id }))).toMatchObject(
          refused('needs no key'),
        )
      })

      it('can be enabled by the integration with a new key after the old key was revoked', async ({ callboard }) => {
        const key = await issueKey(callboard)
        const made = await createThroughApi(callboard, await callerOf(callboard, key.token))
        await callboard.keys.revoke({ accountId: 'acc', id: key.id })
        expect(await stateOf(callboard, made)).toEqual(['disabled', 'key'])
        expect(await createThroughApi(callboard, await newCaller(callboard))).toMatchObject({ state: 'active' })
      })
    })

    describe('a subscription that is disabled repeatedly', () => {
      for (const [first, by, reason] of DISABLED_OVER)
        it(`has the reason ${reason} if its first reason is ${first} and then the ${by} disables it`, async ({
          callboard,
        }) => {
          const { subscriptions } = callboard
          const made = await subscriptions.create({ ...OWNER, ...INPUT })
          await disabledFor(callboard, made, first)
          await subscriptions.disable({ ...made, by })
          expect(await stateOf(callboard, made)).toEqual(['disabled', reason])
        })

      it('keeps the reason given by a person if its key is then revoked', async ({ callboard }) => {
        for (const by of ['account', 'platform'] as const) {
          const key = await issueKey(callboard)
          const made = await createThroughApi(callboard, await callerOf(callboard, key.token), by)
          await disabledFor(callboard, made, by)
          await callboard.keys.revoke({ accountId: 'acc', id: key.id })
          expect(await stateOf(callboard, made)).toEqual(['disabled', by])
          expect(await createThroughApi(callboard, await newCaller(callboard), by)).toMatchObject({ state: 'disabled' })
        }
      })

      it('cannot be enabled by the account if the platform disabled it, even if the account also disables it', async ({
        callboard: { subscriptions },
      }) => {
        const { id } = await subscriptions.create({ ...OWNER, ...INPUT })
        const ref = { ...OWNER, id }
        const refused = { code: 'DISABLED_BY_PLATFORM', message: expect.stringContaining('platform') }
        await subscriptions.disable({ ...ref, by: 'platform' })
        expect(await thrownBy(subscriptions.enable({ ...ref, by: 'account' }))).toMatchObject(refused)
        await subscriptions.disable({ ...ref, by: 'account' })
        expect(await thrownBy(subscriptions.enable({ ...ref, by: 'account' }))).toMatchObject(refused)
        expect(await subscriptions.find(ref)).toMatchObject({ state: 'disabled', disabledReason: 'platform' })
        await subscriptions.enable({ ...ref, by: 'platform' })
        expect(await subscriptions.find(ref)).toMatchObject({ state: 'active', disabledReason: undefined })
      })

      it('can be enabled only by the platform if the account and then the platform disabled it', async ({
        callboard: { subscriptions },
      }) => {
        const made = await subscriptions.create({ ...OWNER, ...INPUT })
        await subscriptions.disable({ ...made, by: 'account' })
        await subscriptions.disable({ ...made, by: 'platform' })
        expect(await thrownBy(subscriptions.enable({ ...made, by: 'account' }))).toMatchObject({
          code: 'DISABLED_BY_PLATFORM',
        })
        expect(await subscriptions.find(made)).toMatchObject({ state: 'disabled', disabledReason: 'platform' })
      })

      it('cannot be changed by an unknown actor, which only JavaScript can pass', async ({ callboard }) => {
        const { subscriptions } = callboard
        const made = await subscriptions.create({ ...OWNER, ...INPUT })
        await subscriptions.disable({ ...made, by: 'platform' })
        const issue = { path: 'by', code: 'UNKNOWN', message: 'by must be one of account, platform.' }
        // @ts-expect-error there is no such actor
        const nobody: { by: 'account' } = { by: 'acount' }
        for (const act of ['enable', 'disable', 'remove', 'rotateSecret'] as const)
          expect(await thrownBy(subscriptions[act]({ ...made, ...nobody })), act).toMatchObject({ issues: [issue] })
        expect(await subscriptions.find(made)).toMatchObject({ disabledReason: 'platform', secrets: made.secrets })
      })

      it('stays disabled when its target or types change', async ({ callboard }) => {
        for (const reason of REASONS) {
          const made = await callboard.subscriptions.create({ ...OWNER, ...INPUT })
          await disabledFor(callboard, made, reason)
          const changes = { targetUrl: 'https://hooks.example.com/2', eventTypes: ['attendee.checked_in'] }
          expect(
            await callboard.subscriptions.change({
              accountId: made.accountId,
              mode: made.mode,
              id: made.id,
              ...changes,
            }),
            reason,
          ).toMatchObject({
            ...changes,
            state: 'disabled',
            disabledReason: reason,
          })
        }
      })
    })
  },
})

/** Disables an active subscription for the given reason, directly in the store. */
async function disabledFor(callboard: SampleCallboard, ref: SubscriptionRecord, reason: DisabledReason): Promise<void> {
  await actOn(engineOf(callboard).store, ref, { act: 'disable', reason, replaces: [] })
  expect(await stateOf(callboard, ref)).toEqual(['disabled', reason])
}

async function stateOf({ subscriptions }: SampleCallboard, ref: OwnedRef): Promise<unknown> {
  const found = await subscriptions.find(ref)
  return [found?.state, found?.disabledReason]
}

function createThroughApi(
  callboard: SampleCallboard,
  caller: Caller,
  externalRef?: string,
): Promise<SubscriptionWithSecret> {
  return engineOf(callboard).apiSubscriptions.create(caller, { ...INPUT, ...(externalRef && { externalRef }) })
}
