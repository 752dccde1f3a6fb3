import { defineCatalog, isId, type SubscriptionRecord } from '@callboard/core'
import { expect } from 'vitest'
import { newCaller, thrownBy } from './arrange.ts'
import { describeOnEachStore, type SampleCallboard } from './on-each-store.ts'
import { orderPaid } from './sample-catalog.ts'

const INPUT = { targetUrl: 'https://hooks.example.com/Hook', eventTypes: ['order.paid', 'attendee.checked_in'] }
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

describeOnEachStore('subscriptions that the account’s people make', {
  any(it) {
    it('are made with a secret that is told once, without personal data unless it is asked for', async ({
      callboard,
    }) => {
      const { secret, ...made } = await callboard.subscriptions.own.make({ account: 'acc' }, INPUT)
      expect(secret).toMatch(SECRET)
      expect(isId('sub', made.id)).toBe(true)
      const shown = { ...INPUT, mode: 'live', source: 'dashboard', integration: 'other', personalData: false }
      expect(made).toMatchObject({ ...shown, description: undefined, confirmedBy: undefined, state: 'active' })
      expect(await callboard.subscriptions.find(made)).toEqual(made)
      expect(JSON.stringify(made)).not.toContain(secret)

      const asked = { ...INPUT, personalData: true, description: 'Books 📚', integration: 'zapier' }
      expect(await callboard.subscriptions.own.make({ account: 'acc', mode: 'test' }, asked)).toMatchObject({
        ...asked,
        mode: 'test',
      })
    })

    it('are never the same as another, and count against the limit of all', async ({ open, callboard }) => {
      const { own } = open({ maxSubscriptions: 3 }).subscriptions
      await callboard.subscriptions.create(await newCaller(callboard), { ...INPUT, integration: 'other' })
      const [one, two] = [await own.make({ account: 'acc' }, INPUT), await own.make({ account: 'acc' }, INPUT)]
      expect(one.id).not.toBe(two.id)
      expect(await thrownBy(own.make({ account: 'acc' }, INPUT))).toMatchObject({ code: 'SUBSCRIPTION_LIMIT_REACHED' })
      await own.remove(one)
      await own.make({ account: 'acc' }, INPUT)
      expect(await thrownBy(own.make({ account: 'nobody' }, INPUT))).toMatchObject({ code: 'ACCOUNT_UNKNOWN' })
    })

    it('are made once of the same input under the same key, and given again with the secret', async ({ callboard }) => {
      const { own } = callboard.subscriptions
      const make = (input: object): Promise<{ id: string; secret: string }> =>
        own.make({ account: 'acc' }, { ...INPUT, idempotencyKey: 'form-1', ...input })
      const [one, again] = await Promise.all([make({}), make({})])
      expect(again).toEqual(one)
      for (const other of [
        { idempotencyKey: 'form-2' },
        { targetUrl: 'https://hooks.example.com/2' },
        { eventTypes: ['order.paid'] },
        { personalData: true },
        { description: 'Books' },
      ])
        expect((await make(other)).id, JSON.stringify(other)).not.toBe(one.id)
      expect(await thrownBy(make({ idempotencyKey: '' }))).toMatchObject({ issues: [{ path: 'idempotencyKey' }] })
    })

    it('have a secret that is rotated once however often that is asked, while the former signs', async ({
      callboard,
    }) => {
      const { own } = callboard.subscriptions
      const made = await own.make({ account: 'acc' }, INPUT)
      const version = await own.secretVersion(made)
      const [one, again] = await Promise.all([own.rotateSecret(made, { version }), own.rotateSecret(made, { version })])
      expect(again).toBe(one)
      expect(one).not.toBe(made.secret)
      expect(await own.rotateSecret(made, { version })).toBe(one)
      const rotated = (await callboard.subscriptions.find(made)) ?? made
      expect(rotated.secrets.map(({ sealed }) => sealed)).toContain(made.secrets[0]?.sealed)
      await own.rotateSecret(made, { version: await own.secretVersion(rotated) })
      for (const former of [version, 'nonsense'])
        expect(await thrownBy(own.rotateSecret(made, { version: former }))).toMatchObject({ code: 'SECRET_ROTATED' })
    })

    it('are held to the rules of the API, one issue a field', async ({ callboard }) => {
      const { own } = callboard.subscriptions
      const wrong = { targetUrl: 'http://10.0.0.1/', eventTypes: ['order.lost'], description: 'a\u0000b' }
      const paths = (error: unknown): unknown =>
        (error as { issues: { path: string }[] }).issues.map(({ path }) => path)
      const error = await thrownBy(own.make({ account: 'acc' }, { ...wrong, integration: 'nobody' }))
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED' })
      expect(paths(error)).toEqual(['targetUrl', 'eventTypes', 'integration', 'description'])
      const made = await own.make({ account: 'acc' }, INPUT)
      expect(paths(await thrownBy(own.change(made, wrong)))).toEqual(['targetUrl', 'eventTypes', 'description'])
      for (const [path, value] of [
        ['targetUrl', 7],
        ['eventTypes', 'order.paid'],
        ['eventTypes', []],
        ['personalData', 'yes'],
        ['description', ''],
      ] as const) {
        const input = { ...INPUT, [path]: value } as typeof INPUT
        expect(paths(await thrownBy(own.make({ account: 'acc' }, input))), path).toEqual([path])
        expect(paths(await thrownBy(own.change(made, input))), path).toEqual([path])
      }
      expect(await callboard.subscriptions.find(made)).toMatchObject(INPUT)
    })

    it('are changed in part', async ({ callboard }) => {
      const { own } = callboard.subscriptions
      const { secret: _secret, ...made } = await own.make({ account: 'acc' }, { ...INPUT, description: 'Books' })
      const moved = await own.change(made, { targetUrl: 'https://hooks.example.com/2' })
      expect(moved).toEqual({ ...made, targetUrl: 'https://hooks.example.com/2' })
      const fewer = await own.change(made, { eventTypes: ['order.paid', 'order.paid'], personalData: true })
      expect(fewer).toEqual({ ...moved, eventTypes: ['order.paid'], personalData: true })
      expect(await own.change(made, { description: null })).toEqual({ ...fewer, description: undefined })
    })

    it('keep a type that left the catalogue, and can be given none such', async ({ callboard, open }) => {
      const made = await callboard.subscriptions.own.make({ account: 'acc' }, INPUT)
      const smaller = open({ catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }) as never })
      const kept = await smaller.subscriptions.own.change(made, { eventTypes: ['attendee.checked_in'] })
      expect(kept.eventTypes).toEqual(['attendee.checked_in'])
      await smaller.subscriptions.own.change(made, { eventTypes: ['order.paid'] })
      expect(
        await thrownBy(smaller.subscriptions.own.change(made, { eventTypes: ['attendee.checked_in'] })),
      ).toMatchObject({ code: 'VALIDATION_FAILED' })
    })

    it('are switched off and on, get another secret, and are removed', async ({ callboard }) => {
      const { own } = callboard.subscriptions
      const made = await own.make({ account: 'acc' }, INPUT)
      await own.disable(made)
      expect(await callboard.subscriptions.find(made)).toMatchObject({ state: 'disabled', disabledReason: 'manual' })
      await own.enable(made)
      expect(await callboard.subscriptions.find(made)).toMatchObject({ state: 'active' })
      const secret = await own.rotateSecret(made, { overlapMs: 60_000 })
      expect(secret).toMatch(SECRET)
      expect(secret).not.toBe(made.secret)
      expect((await callboard.subscriptions.find(made))?.secrets).toHaveLength(2)
      await own.remove(made)
      await own.remove(made)
      expect(await callboard.subscriptions.find(made)).toBe(undefined)
    })

    it('are not those that integrations made through the API, nor another account’s', async ({ callboard }) => {
      const { own } = callboard.subscriptions
      const managed = await callboard.subscriptions.create(await newCaller(callboard), {
        ...INPUT,
        integration: 'make',
      })
      const made = await own.make({ account: 'acc' }, INPUT)
      await callboard.accounts.create({ id: 'other', name: 'Other' })
      for (const verb of verbsOf(callboard)) {
        expect(await thrownBy(verb(managed))).toMatchObject({ code: 'SUBSCRIPTION_MANAGED' })
        for (const elsewhere of [{ accountId: 'other' }, { mode: 'test' as const }, { id: 'sub_x' }])
          expect(await thrownBy(verb({ ...made, ...elsewhere }))).toMatchObject({ code: 'NOT_FOUND' })
      }
      expect(await callboard.subscriptions.list('acc', 'live')).toMatchObject([
        { id: made.id, state: 'active' },
        { id: managed.id, state: 'active', targetUrl: INPUT.targetUrl },
      ])
    })

    it('tell what is wrong with a target before they are made', ({ callboard }) => {
      const { own } = callboard.subscriptions
      expect(own.checkTarget('https://hooks.example.com/1')).toBe(undefined)
      for (const refused of ['http://example.com/', 'https://10.0.0.1/', 'https://intranet/', 'https://a b', '', null])
        expect(own.checkTarget(refused)).toMatchObject({ path: 'targetUrl', message: expect.stringMatching(/HTTPS/) })
    })
  },
})

function verbsOf({ subscriptions: { own } }: SampleCallboard): ((ref: SubscriptionRecord) => Promise<unknown>)[] {
  return [
    (ref) => own.change(ref, { targetUrl: 'https://hooks.example.com/stolen' }),
    (ref) => own.disable(ref),
    (ref) => own.enable(ref),
    (ref) => own.rotateSecret(ref),
    (ref) => own.remove(ref),
  ]
}
