import type { ImportItem, ImportOptions, ImportResult, ImportSecret } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { describe, expect } from 'vitest'
import { newCaller, thrownBy } from './arrange.ts'
import { describeOnEachStore, type SampleCallboard } from './on-each-store.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const HMAC = { type: 'hmac', header: 'X-Acme-Signature', over: 'body', encoding: 'hex', prefix: 'sha256=' } as const
const OLD_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

function item(overrides: Partial<ImportItem> = {}): ImportItem {
  return {
    accountId: 'acc',
    id: 'wh_1',
    targetUrl: 'https://hooks.example.com/1',
    eventTypes: ['order.paid', 'attendee.checked_in'],
    integration: 'zapier',
    secret: SECRET,
    ...overrides,
  }
}

function importAll(
  callboard: SampleCallboard,
  items: readonly ImportItem[],
  options: Omit<ImportOptions, 'by'> = {},
): Promise<ImportResult[]> {
  return callboard.subscriptions.import(items, { by: 'platform', ...options })
}

/** An item whose secret is being rotated. */
function rotating(id: string, former: Partial<ImportSecret> = {}): ImportItem {
  return item({ id, secret: null, secrets: [{ secret: SECRET }, { secret: OLD_SECRET, ...former }] })
}

/** Imports one item, and returns the paths and codes of its issues; the outcome if there are none. */
async function importOne(callboard: SampleCallboard, given: unknown): Promise<string | string[]> {
  const [result] = await importAll(callboard, [given as ImportItem])
  return result?.outcome === 'refused' ? result.issues.map(({ path, code }) => `${path} ${code}`) : `${result?.outcome}`
}

describeOnEachStore('imported subscriptions', {
  any(it) {
    it('are returned with their own ids and secrets to the first key that creates them again', async ({
      callboard,
    }) => {
      const createdAt = new Date('2021-03-04T05:06:07.089Z')
      expect(await importAll(callboard, [item({ createdAt, externalRef: 'zap-7' })])).toEqual([
        { outcome: 'imported', id: 'wh_1' },
      ])
      const caller = await newCaller(callboard)
      const { accountId: _accountId, id: _id, secret: _secret, ...input } = item({ externalRef: 'zap-7' })
      expect(await engineOf(callboard).apiSubscriptions.create(caller, input)).toMatchObject({
        ...input,
        id: 'wh_1',
        created: false,
        secret: SECRET,
        createdAt,
        source: 'api',
        confirmedBy: caller.keyId,
      })
    })

    it('keep both secrets while a secret is being rotated', async ({ callboard }) => {
      const soon = new Date(Date.now() + 3_600_000)
      const given = [rotating('a'), rotating('b', { expiresAt: soon }), rotating('c', { expiresAt: new Date(0) })]
      expect(await importAll(callboard, given)).toMatchObject([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
      const { secretBox } = engineOf(callboard)
      const secretsOf = async (id: string) => {
        const found = await callboard.subscriptions.find({ accountId: 'acc', id })
        return Promise.all((found?.secrets ?? []).map(async ({ sealed }) => secretBox.open(id, sealed)))
      }
      expect(await secretsOf('a')).toEqual([SECRET, OLD_SECRET])
      expect(await secretsOf('b')).toEqual([SECRET, OLD_SECRET])
      expect(await secretsOf('c')).toEqual([SECRET])
    })

    it('keep the short secrets of a signature of the platform’s own', async ({ callboard }) => {
      const signed = item({ secret: 'hunter2', signatures: [HMAC] })
      expect(await importOne(callboard, signed)).toBe('imported')
      expect(await importOne(callboard, signed)).toBe('existing')
      expect(await importOne(callboard, { ...signed, signatures: [{ ...HMAC, encoding: 'base64' }] })).toEqual([
        'id CONFLICT',
      ])
      const { eventTypes, targetUrl, integration } = signed
      const input = { eventTypes, targetUrl, integration }
      const created = await engineOf(callboard).apiSubscriptions.create(await newCaller(callboard), input)
      expect(created).toMatchObject({ id: 'wh_1', secret: 'hunter2', signatures: [HMAC] })
    })

    it('are the same when the call is repeated, and are never overwritten', async ({ callboard }) => {
      const items = [item(), item({ id: null, externalRef: 'unnamed' }), item({ id: 'wh_3', externalRef: 'c' })]
      const [, unnamed] = await importAll(callboard, items.slice(0, 2))
      const again = await importAll(callboard, items)
      expect(again).toMatchObject([
        { outcome: 'existing', id: 'wh_1' },
        unnamed && { ...unnamed, outcome: 'existing' },
        { outcome: 'imported' },
      ])
      expect(await callboard.subscriptions.list({ accountId: 'acc' })).toHaveLength(3)
      expect(await importOne(callboard, item({ secret: OLD_SECRET }))).toEqual(['id CONFLICT'])
      expect(await importOne(callboard, item({ eventTypes: ['attendee.checked_in', 'order.paid'] }))).toBe('existing')
    })

    it('are imported once if a call has them twice', async ({ callboard }) => {
      const others = [
        item({ externalRef: 'other' }),
        item({ id: 'wh_2' }),
        item({ id: undefined }),
        item({ id: undefined }),
      ]
      const results = await importAll(callboard, [item(), item(), ...others])
      expect(results.map(({ outcome }) => outcome)).toEqual([
        'imported',
        'existing',
        'refused',
        'duplicate',
        'duplicate',
        'existing',
      ])
      expect(results[2]).toMatchObject({ issues: [{ path: 'id', code: 'CONFLICT' }] })
      expect(results[5]).toMatchObject({ id: results[4]?.outcome === 'duplicate' && results[4].id })
    })

    describe('an item is refused', () => {
      it.for<[string, unknown, readonly string[]]>([
        ['no object', null, [' TYPE']],
        ['a missing field', { ...item(), targetUrl: undefined }, ['targetUrl REQUIRED']],
        ['a misspelt field', { ...item(), personaldata: true }, [' TYPE']],
        [
          'a misspelt field of a secret',
          { ...item({ secret: null }), secrets: [{ secret: SECRET, until: 'x' }] },
          ['secrets.0 TYPE'],
        ],
        ['an unknown account', item({ accountId: 'nobody' }), ['accountId UNKNOWN']],
        ['an invalid account id', item({ accountId: '' }), ['accountId LENGTH']],
        ['an unknown type', item({ eventTypes: ['order.lost'] }), ['eventTypes UNKNOWN']],
        ['no types', item({ eventTypes: [] }), ['eventTypes COUNT']],
        ['a private target', item({ targetUrl: 'https://10.0.0.1/' }), ['targetUrl TARGET']],
        ['an http: target', item({ targetUrl: 'http://hooks.example.com/' }), ['targetUrl TARGET']],
        ['an unknown integration', item({ integration: 'acme' }), ['integration UNKNOWN']],
        ['an unknown version', item({ apiVersion: '1999-01-01' }), ['apiVersion UNKNOWN']],
        ['a secret of another format', item({ secret: 'hunter2' }), ['secret FORMAT']],
        ['a secret that is too short', item({ secret: 'whsec_MfKQ' }), ['secret FORMAT']],
        ['an unknown signature', { ...item(), signatures: ['md5'] }, ['signatures.0 UNKNOWN']],
        [
          'a text as a secret, if not every signature is an hmac',
          item({ secret: 'hunter2', signatures: ['standard', HMAC] }),
          ['secret FORMAT'],
        ],
        ['no secret', item({ secret: null }), ['secret REQUIRED']],
        ['secret and secrets', item({ secrets: [{ secret: SECRET }] }), ['secret REQUIRED']],
        ['an empty list of secrets', item({ secret: null, secrets: [] }), ['secrets COUNT']],
        [
          'a third secret',
          item({ secret: null, secrets: [SECRET, OLD_SECRET, SECRET].map((secret) => ({ secret })) }),
          ['secrets COUNT'],
        ],
        [
          'a current secret that expires',
          item({ secret: null, secrets: [{ secret: SECRET, expiresAt: new Date() }] }),
          ['secrets.0.expiresAt CONFLICT'],
        ],
        ['an id with a slash', item({ id: 'a/b' }), ['id FORMAT']],
        ['an id of two dots', item({ id: '..' }), ['id FORMAT']],
        ['an id of 65 characters', item({ id: 'x'.repeat(65) }), ['id FORMAT']],
        ['the id of a key', item({ id: 'key_01m7zqk3v8f0h2x9n4c6t1b5de' }), ['id FORMAT']],
        ['the name of a page', item({ id: 'new' }), ['id FORMAT']],
        ['a time in the future', item({ createdAt: new Date(Date.now() + 60_000) }), ['createdAt RANGE']],
        ['an invalid time', item({ createdAt: new Date(Number.NaN) }), ['createdAt TYPE']],
        ['no reason', item({ state: 'disabled' }), ['disabledReason REQUIRED']],
        ['the reason of a key', { ...item({ state: 'disabled' }), disabledReason: 'key' }, ['disabledReason UNKNOWN']],
        ['a reason to be active', item({ disabledReason: 'gone' }), ['disabledReason CONFLICT']],
        [
          'several mistakes',
          item({ id: '.', secret: 'x', targetUrl: 'x' }),
          ['id FORMAT', 'targetUrl TARGET', 'secret FORMAT'],
        ],
      ])('for %s, and the others are imported', async ([, given, issues], { callboard }) => {
        const results = await importAll(callboard, [given as ImportItem, item({ id: 'wh_2' })])
        expect(results[1]).toEqual({ outcome: 'imported', id: 'wh_2' })
        const [refused] = results
        if (refused?.outcome !== 'refused') throw new Error('not refused')
        expect(refused.issues.map(({ path, code }) => `${path} ${code}`)).toEqual(issues)
        for (const { message } of refused.issues) expect(message).toMatch(/^[A-Z\w].{10,198}\.$/)
        expect(JSON.stringify(refused)).not.toMatch(/hunter2|MfKQ/)
      })
    })

    it('are enabled by those who may after the reason for which they are disabled', async ({ callboard }) => {
      const caller = await newCaller(callboard)
      const { apiSubscriptions } = engineOf(callboard)
      const imported = async (id: string, disabledReason: ImportItem['disabledReason']) => {
        const { accountId, secret: _secret, ...input } = item({ id, externalRef: id })
        await importAll(callboard, [item({ id, externalRef: id, state: 'disabled', disabledReason })])
        return { ref: { accountId, id }, input: { ...input, id: undefined } }
      }
      const stateOf = async ({ ref }: Awaited<ReturnType<typeof imported>>) =>
        (await callboard.subscriptions.find(ref))?.state

      const failing = await imported('failing', 'failing')
      await apiSubscriptions.create(caller, failing.input)
      const account = await imported('account', 'account')
      await apiSubscriptions.create(caller, account.input)
      expect([await stateOf(failing), await stateOf(account)]).toEqual(['active', 'disabled'])
      await apiSubscriptions.change(caller, 'account', { state: 'active' })
      expect(await stateOf(account)).toBe('active')

      const platform = await imported('platform', 'platform')
      expect(await thrownBy(apiSubscriptions.change(caller, 'platform', { state: 'active' }))).toMatchObject({
        code: 'DISABLED_BY_PLATFORM',
      })
      expect(await thrownBy(callboard.subscriptions.enable({ ...platform.ref, by: 'account' }))).toMatchObject({
        code: 'SUBSCRIPTION_MANAGED',
      })
      // It needs no key, because no key has confirmed it.
      await callboard.subscriptions.enable({ ...platform.ref, by: 'platform' })
      expect(await stateOf(platform)).toBe('active')
    })

    it('are replaced under another id, while the id of a removed one stays refused', async ({ callboard }) => {
      const changed = { targetUrl: 'https://hooks.example.com/moved' }
      expect(await importOne(callboard, item())).toBe('imported')
      expect(await importOne(callboard, item(changed))).toEqual(['id CONFLICT'])
      await callboard.subscriptions.remove({ accountId: 'acc', id: 'wh_1', by: 'platform' })
      for (const refused of [item(), item(changed)])
        expect(await importOne(callboard, refused)).toEqual(['id CONFLICT'])
      expect(await importOne(callboard, item({ ...changed, id: 'wh_1b' }))).toBe('imported')
      expect(await importOne(callboard, item({ id: null }))).toBe('imported')
      expect(await callboard.subscriptions.list({ accountId: 'acc' })).toHaveLength(2)
    })

    it('count against the limit of an account, but against no limit per minute', async ({ open, callboard }) => {
      const limited = open({ maxSubscriptions: 3, maxNewSubscriptionsPerMinute: 1, maxChangesPerMinute: 1 })
      const items = Array.from({ length: 4 }, (_, index) => item({ id: `wh_${index}`, externalRef: `${index}` }))
      const results = await importAll(limited, items)
      expect(results.map(({ outcome }) => outcome)).toEqual(['imported', 'imported', 'imported', 'refused'])
      expect(results[3]).toMatchObject({ issues: [{ path: 'accountId', code: 'COUNT' }] })
      await callboard.subscriptions.remove({ accountId: 'acc', id: 'wh_0', by: 'platform' })
      const caller = await newCaller(limited)
      const { apiSubscriptions } = engineOf(limited)
      const input = { targetUrl: 'https://hooks.example.com/2', eventTypes: ['order.paid'], integration: 'zapier' }
      expect(await apiSubscriptions.create(caller, input)).toMatchObject({ created: true })
    })

    it('are not stored by a dry run', async ({ callboard }) => {
      const items = [item(), item({ id: 'wh_2' }), item({ id: '' })]
      const outcomes = ['imported', 'duplicate', 'refused']
      const dry = await importAll(callboard, items, { dryRun: true })
      expect(dry.map(({ outcome }) => outcome)).toEqual(outcomes)
      expect(await callboard.subscriptions.list({ accountId: 'acc' })).toEqual([])
      expect((await importAll(callboard, items)).map(({ outcome }) => outcome)).toEqual(outcomes)
    })

    it('are at most 500 in a call, which only the platform makes', async ({ callboard }) => {
      const many = Array.from({ length: 501 }, () => item())
      expect(await thrownBy(importAll(callboard, many))).toMatchObject({ issues: [{ path: 'items', code: 'COUNT' }] })
      const by = 'account' as 'platform'
      expect(await thrownBy(callboard.subscriptions.import([], { by }))).toMatchObject({ issues: [{ path: 'by' }] })
      expect(await importAll(callboard, [])).toEqual([])
    })

    it('are recorded in the audit trail, without their secrets', async ({ callboard }) => {
      await callboard.as({ type: 'operator', id: 'ada' }).subscriptions.import([item()], { by: 'platform' })
      const { entries } = await callboard.audit.list({ accountId: 'acc', objectId: 'wh_1' })
      expect(entries).toMatchObject([
        {
          action: 'subscription.imported',
          actor: { type: 'operator', id: 'ada' },
          objectId: 'wh_1',
          details: { integration: 'zapier' },
        },
      ])
      expect(JSON.stringify(entries)).not.toContain('whsec')
    })
  },
})
