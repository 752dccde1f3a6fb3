import { defineCatalog, type SubscriptionRecord, type TargetIssue } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { isId } from '@callboard/core/store'
import { expect } from 'vitest'
import { newCaller, thrownBy } from './arrange.ts'
import { describeOnEachStore, type SampleCallboard } from './on-each-store.ts'
import { orderPaid } from './sample-catalog.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/Hook', eventTypes: ['order.paid', 'attendee.checked_in'] }
const OWNER = { accountId: 'acc' }
const BY_ACCOUNT = { by: 'account' } as const
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

describeOnEachStore('subscriptions that the account’s people create', {
  any(it) {
    it('are created with a secret that is shown once, and without personal data unless requested', async ({
      callboard: { subscriptions },
    }) => {
      const { secret, created, ...made } = await subscriptions.create({ ...OWNER, ...INPUT })
      expect(created).toBe(true)
      expect(secret).toMatch(SECRET)
      expect(isId('sub', made.id)).toBe(true)
      const shown = { ...INPUT, mode: 'live', source: 'dashboard', integration: 'other', personalData: false }
      expect(made).toMatchObject({ ...shown, description: undefined, confirmedBy: undefined, state: 'active' })
      expect(await subscriptions.find(made)).toEqual(made)
      expect(JSON.stringify(made)).not.toContain(secret)

      const asked = { ...INPUT, personalData: true, description: 'Books 📚', integration: 'zapier' }
      expect(await subscriptions.create({ ...OWNER, mode: 'test', ...asked })).toMatchObject({ ...asked, mode: 'test' })
    })

    it('are found and listed for their account, in live mode unless the other mode is given', async ({
      callboard: { subscriptions },
    }) => {
      const live = await subscriptions.create({ ...OWNER, ...INPUT })
      const test = await subscriptions.create({ ...OWNER, mode: 'test', ...INPUT })
      expect(await subscriptions.list(OWNER)).toMatchObject([{ id: live.id }])
      expect(await subscriptions.list({ ...OWNER, mode: 'test' })).toMatchObject([{ id: test.id }])
      expect(await subscriptions.find({ ...OWNER, id: live.id })).toMatchObject({ id: live.id })
      for (const elsewhere of [
        { ...OWNER, id: test.id },
        { accountId: 'nobody', id: live.id },
        { ...OWNER, id: 'sub_x' },
      ])
        expect(await subscriptions.find(elsewhere)).toBe(undefined)
    })

    it('are separate for each creation, and count towards the account’s limit', async ({ open, callboard }) => {
      const { subscriptions } = open({ maxSubscriptions: 3 })
      const integrations = engineOf(callboard).apiSubscriptions
      await integrations.create(await newCaller(callboard), { ...INPUT, integration: 'other' })
      const [one, two] = [
        await subscriptions.create({ ...OWNER, ...INPUT }),
        await subscriptions.create({ ...OWNER, ...INPUT }),
      ]
      expect(one.id).not.toBe(two.id)
      expect(await thrownBy(subscriptions.create({ ...OWNER, ...INPUT }))).toMatchObject({
        code: 'SUBSCRIPTION_LIMIT_REACHED',
        message: 'The account has reached its limit of 3 subscriptions. Remove one first.',
      })
      await subscriptions.remove({ ...one, ...BY_ACCOUNT })
      await subscriptions.create({ ...OWNER, ...INPUT })
      expect(await thrownBy(subscriptions.create({ accountId: 'nobody', ...INPUT }))).toMatchObject({
        code: 'ACCOUNT_UNKNOWN',
      })
    })

    it('are created once for the same input and idempotency key, and returned with the secret on a repeat', async ({
      callboard: { subscriptions },
    }) => {
      const create = (input: object) => subscriptions.create({ ...OWNER, ...INPUT, idempotencyKey: 'form-1', ...input })
      const racing = await Promise.all([create({}), create({})])
      expect(racing.map(({ created }) => created).sort()).toEqual([false, true])
      const [one, again] = racing.map(({ created: _created, ...made }) => made)
      expect(again).toEqual(one)
      for (const other of [
        { idempotencyKey: 'form-2' },
        { targetUrl: 'https://hooks.example.com/2' },
        { eventTypes: ['order.paid'] },
        { personalData: true },
        { description: 'Books' },
      ])
        expect((await create(other)).id, JSON.stringify(other)).not.toBe(one?.id)
      expect(await thrownBy(create({ idempotencyKey: '' }))).toMatchObject({ issues: [{ path: 'idempotencyKey' }] })
    })

    it('have a secret that is rotated only once if several calls name the same version of it', async ({
      callboard: { subscriptions },
    }) => {
      const made = await subscriptions.create({ ...OWNER, ...INPUT })
      const version = await subscriptions.secretVersion(made)
      const rotate = (from?: string) => subscriptions.rotateSecret({ ...made, ...BY_ACCOUNT, version: from })
      const [one, again] = await Promise.all([rotate(version), rotate(version)])
      expect(again).toBe(one)
      expect(one).not.toBe(made.secret)
      expect(await rotate(version)).toBe(one)
      const rotated = (await subscriptions.find(made)) ?? made
      expect(rotated.secrets.map(({ sealed }) => sealed)).toContain(made.secrets[0]?.sealed)
      await rotate(await subscriptions.secretVersion(rotated))
      for (const former of [version, 'nonsense'])
        expect(await thrownBy(rotate(former))).toMatchObject({ code: 'SECRET_ROTATED' })
    })

    it('are validated like those of the API, with one issue per field', async ({ callboard: { subscriptions } }) => {
      const wrong = { targetUrl: 'http://10.0.0.1/', eventTypes: ['order.lost'], description: 'a\u0000b' }
      const paths = (error: unknown): unknown =>
        (error as { issues: { path: string }[] }).issues.map(({ path }) => path)
      const error = await thrownBy(subscriptions.create({ ...OWNER, ...wrong, integration: 'nobody' }))
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED' })
      expect(paths(error)).toEqual(['targetUrl', 'eventTypes', 'integration', 'description'])
      const made = await subscriptions.create({ ...OWNER, ...INPUT })
      const change = (input: object) =>
        subscriptions.change({ accountId: made.accountId, mode: made.mode, id: made.id, ...input })
      expect(paths(await thrownBy(change(wrong)))).toEqual(['targetUrl', 'eventTypes', 'description'])
      for (const [path, value] of [
        ['targetUrl', 7],
        ['eventTypes', 'order.paid'],
        ['eventTypes', []],
        ['personalData', 'yes'],
        ['description', ''],
      ] as const) {
        const input = { ...INPUT, [path]: value } as typeof INPUT
        expect(paths(await thrownBy(subscriptions.create({ ...OWNER, ...input }))), path).toEqual([path])
        expect(paths(await thrownBy(change(input))), path).toEqual([path])
      }
      expect(await subscriptions.find(made)).toMatchObject(INPUT)
    })

    it('can be changed one field at a time', async ({ callboard: { subscriptions } }) => {
      const {
        secret: _secret,
        created: _created,
        ...made
      } = await subscriptions.create({ ...OWNER, ...INPUT, description: 'Books' })
      const change = (changes: object) =>
        subscriptions.change({ accountId: made.accountId, mode: made.mode, id: made.id, ...changes })
      const moved = await change({ targetUrl: 'https://hooks.example.com/2' })
      expect(moved).toEqual({ ...made, targetUrl: 'https://hooks.example.com/2' })
      const fewer = await change({ eventTypes: ['order.paid', 'order.paid'], personalData: true })
      expect(fewer).toEqual({ ...moved, eventTypes: ['order.paid'], personalData: true })
      expect(await change({ description: null })).toEqual({ ...fewer, description: undefined })
    })

    it('can keep a type that was removed from the catalogue, but cannot add such a type', async ({
      callboard,
      open,
    }) => {
      const made = await callboard.subscriptions.create({ ...OWNER, ...INPUT })
      const smaller = open({ catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }) as never })
      const change = (...eventTypes: string[]) =>
        smaller.subscriptions.change({ accountId: made.accountId, mode: made.mode, id: made.id, eventTypes })
      const kept = await change('attendee.checked_in')
      expect(kept.eventTypes).toEqual(['attendee.checked_in'])
      await change('order.paid')
      expect(await thrownBy(change('attendee.checked_in'))).toMatchObject({ code: 'VALIDATION_FAILED' })
    })

    it('can be disabled, enabled and removed, and can get another secret', async ({ callboard: { subscriptions } }) => {
      const made = await subscriptions.create({ ...OWNER, ...INPUT })
      await subscriptions.disable({ ...made, ...BY_ACCOUNT })
      expect(await subscriptions.find(made)).toMatchObject({ state: 'disabled', disabledReason: 'account' })
      await subscriptions.enable({ ...made, ...BY_ACCOUNT })
      expect(await subscriptions.find(made)).toMatchObject({ state: 'active' })
      const secret = await subscriptions.rotateSecret({ ...made, ...BY_ACCOUNT, overlapMs: 60_000 })
      expect(secret).toMatch(SECRET)
      expect(secret).not.toBe(made.secret)
      expect((await subscriptions.find(made))?.secrets).toHaveLength(2)
      await subscriptions.remove({ ...made, ...BY_ACCOUNT })
      await subscriptions.remove({ ...made, ...BY_ACCOUNT })
      expect(await subscriptions.find(made)).toBe(undefined)
    })

    it('do not include subscriptions of other accounts, or those that integrations created through the API', async ({
      callboard,
    }) => {
      const { subscriptions } = callboard
      const managed = await createThroughApi(callboard)
      const made = await subscriptions.create({ ...OWNER, ...INPUT })
      await callboard.accounts.create({ id: 'other', name: 'Other' })
      for (const verb of verbsOf(callboard)) {
        expect(await thrownBy(verb(managed))).toMatchObject({ code: 'SUBSCRIPTION_MANAGED' })
        for (const elsewhere of [{ accountId: 'other' }, { mode: 'test' as const }, { id: 'sub_x' }])
          expect(await thrownBy(verb({ ...made, ...elsewhere }))).toMatchObject({ code: 'NOT_FOUND' })
      }
      expect(await subscriptions.list(OWNER)).toMatchObject([
        { id: made.id, state: 'active', targetUrl: INPUT.targetUrl },
        { id: managed.id, state: 'active', targetUrl: INPUT.targetUrl },
      ])
    })

    it('can be managed by the platform, just like subscriptions that integrations created', async ({ callboard }) => {
      const { subscriptions } = callboard
      for (const made of [await subscriptions.create({ ...OWNER, ...INPUT }), await createThroughApi(callboard)]) {
        const ref = { ...OWNER, id: made.id }
        expect(await subscriptions.rotateSecret({ ...ref, by: 'platform' })).toMatch(SECRET)
        await subscriptions.disable({ ...ref, by: 'platform' })
        expect(await subscriptions.find(ref)).toMatchObject({ state: 'disabled', disabledReason: 'platform' })
        await subscriptions.enable({ ...ref, by: 'platform' })
        expect(await subscriptions.find(ref)).toMatchObject({ state: 'active', disabledReason: undefined })
        await subscriptions.remove({ ...ref, by: 'platform' })
        await subscriptions.remove({ ...ref, by: 'platform' })
        expect(await subscriptions.find(ref)).toBe(undefined)
      }
    })

    it('have their target checked before they are created', ({ callboard: { subscriptions } }) => {
      expect(subscriptions.checkTarget({ targetUrl: 'https://hooks.example.com/1' })).toBe(undefined)
      for (const [refused, rule] of [
        ['http://example.com/', 'http'],
        ['https://10.0.0.1/', 'address'],
        ['https://intranet/', 'single-label'],
        ['https://a b', 'characters'],
        ['', 'scheme'],
        [null, 'not-a-string'],
      ] as const)
        expect(subscriptions.checkTarget({ targetUrl: refused })).toEqual({
          path: 'targetUrl',
          code: 'TARGET',
          message: expect.stringMatching(/HTTPS/),
          rule,
          explanation: expect.stringMatching(/^targetUrl .*\.$/),
        } satisfies TargetIssue)
    })
  },
})

async function createThroughApi(callboard: SampleCallboard): Promise<SubscriptionRecord> {
  const { apiSubscriptions } = engineOf(callboard)
  return apiSubscriptions.create(await newCaller(callboard), { ...INPUT, integration: 'make' })
}

/** The methods with which the account's people change a subscription. */
function verbsOf({ subscriptions }: SampleCallboard): ((ref: SubscriptionRecord) => Promise<unknown>)[] {
  return [
    (ref) =>
      subscriptions.change({
        accountId: ref.accountId,
        mode: ref.mode,
        id: ref.id,
        targetUrl: 'https://hooks.example.com/stolen',
      }),
    (ref) => subscriptions.disable({ ...ref, ...BY_ACCOUNT }),
    (ref) => subscriptions.enable({ ...ref, ...BY_ACCOUNT }),
    (ref) => subscriptions.rotateSecret({ ...ref, ...BY_ACCOUNT }),
    (ref) => subscriptions.remove({ ...ref, ...BY_ACCOUNT }),
  ]
}
