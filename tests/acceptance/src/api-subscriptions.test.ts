import { type CallboardError, createCallboard, defineCatalog } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { isId } from '@callboard/core/store'
import { describe, expect } from 'vitest'
import { callerOf, issueKey, newCaller, orderPaidEvent, thrownBy } from './arrange.ts'
import { describeOnEachStore, facadeIt, facadeOptions, RING } from './on-each-store.ts'
import { orderPaid } from './sample-catalog.ts'
import { memoryFixture } from './stores.ts'

const INPUT = {
  targetUrl: 'https://hooks.example.com/Hook',
  eventTypes: ['order.paid', 'attendee.checked_in'],
  integration: 'zapier',
}
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

describeOnEachStore('subscriptions', {
  any(it) {
    it('have the fields in section 2.6 of the /v1 contract', async ({ callboard }) => {
      const caller = await newCaller(callboard)
      const subscription = await engineOf(callboard).apiSubscriptions.create(caller, { ...INPUT, externalRef: 'zap 7' })
      expect(subscription).toMatchObject({
        ...INPUT,
        created: true,
        externalRef: 'zap 7',
        apiVersion: '2026-10-01',
        secret: expect.stringMatching(SECRET),
        createdAt: expect.any(Date),
        source: 'api',
        state: 'active',
        confirmedBy: caller.keyId,
      })
      expect(isId('sub', subscription.id)).toBe(true)
    })

    describe('a subscription whose creation is repeated', () => {
      it('is returned unchanged, with its secret, for an equivalent input', async ({ callboard }) => {
        const same = [
          ['the same words', {}],
          ['types in another order', { eventTypes: ['attendee.checked_in', 'order.paid'] }],
          ['types repeated', { eventTypes: ['order.paid', 'attendee.checked_in', 'order.paid'] }],
          ['the scheme and host in capitals', { targetUrl: 'HTTPS://Hooks.EXAMPLE.com/Hook' }],
          ['the default port', { targetUrl: 'https://hooks.example.com:443/Hook' }],
          ['a dot at the end of the host', { targetUrl: 'https://hooks.example.com./Hook' }],
          ['dot segments', { targetUrl: 'https://hooks.example.com/x/../Hook' }],
          ['an empty query', { targetUrl: 'https://hooks.example.com/Hook?' }],
          ['externalRef null', { externalRef: null }],
          ['an unknown field', { comment: 'hello' }],
        ] as const
        const caller = await newCaller(callboard)
        const first = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        for (const [what, other] of same) {
          const again = await engineOf(callboard).apiSubscriptions.create(caller, { ...INPUT, ...other })
          expect(again, what).toEqual({ ...first, created: false })
        }
        await expect(callboard.subscriptions.list({ accountId: 'acc' })).resolves.toHaveLength(1)
      })

      it('is not returned for a different input: that creates another subscription with its own id and secret', async ({
        callboard,
      }) => {
        const others = [
          ['path', { targetUrl: 'https://hooks.example.com/2' }],
          ['case of the path', { targetUrl: 'https://hooks.example.com/hook' }],
          ['slash at the end', { targetUrl: 'https://hooks.example.com/Hook/' }],
          ['port', { targetUrl: 'https://hooks.example.com:8443/Hook' }],
          ['query', { targetUrl: 'https://hooks.example.com/Hook?a=1' }],
          ['set of types', { eventTypes: ['order.paid'] }],
          ['integration', { integration: 'make' }],
          ['externalRef', { externalRef: 'a' }],
          ['externalRef that reads null', { externalRef: 'null' }],
        ] as const
        const caller = await newCaller(callboard)
        const made = [await engineOf(callboard).apiSubscriptions.create(caller, INPUT)]
        for (const [, other] of others)
          made.push(await engineOf(callboard).apiSubscriptions.create(caller, { ...INPUT, ...other }))
        expect(made.filter(({ created }) => !created)).toEqual([])
        expect(new Set(made.map(({ id }) => id)).size).toBe(others.length + 1)
        expect(new Set(made.map(({ secret }) => secret)).size).toBe(others.length + 1)
      })

      it('is not returned in another account or mode', async ({ callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        for (const overrides of [{}, { accountId: 'other' }, { mode: 'test' as const }]) {
          const caller = await newCaller(callboard, overrides)
          await expect(engineOf(callboard).apiSubscriptions.create(caller, INPUT)).resolves.toMatchObject({
            created: true,
          })
        }
      })

      it('is created only once when 20 callers create it at the same time', async ({ callboard }) => {
        const caller = await newCaller(callboard)
        const made = await Promise.all(
          Array.from({ length: 20 }, () => engineOf(callboard).apiSubscriptions.create(caller, INPUT)),
        )
        expect(new Set(made.map(({ id, secret }) => `${id} ${secret}`)).size).toBe(1)
        expect(made.filter(({ created }) => created)).toHaveLength(1)
      })

      it('belongs to the key that repeats the creation, and is enabled again if its former key was revoked', async ({
        callboard,
      }) => {
        const first = await issueKey(callboard)
        const made = await engineOf(callboard).apiSubscriptions.create(await callerOf(callboard, first.token), INPUT)
        await callboard.keys.revoke({ accountId: 'acc', id: first.id })
        const second = await newCaller(callboard)
        await expect(engineOf(callboard).apiSubscriptions.create(second, INPUT)).resolves.toMatchObject({
          id: made.id,
          created: false,
          secret: made.secret,
          state: 'active',
          confirmedBy: second.keyId,
        })
      })

      it('stays disabled if somebody disabled it by hand', async ({ callboard }) => {
        const caller = await newCaller(callboard)
        const made = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        await callboard.subscriptions.disable({ ...made, by: 'platform' })
        await expect(engineOf(callboard).apiSubscriptions.create(caller, INPUT)).resolves.toMatchObject({
          id: made.id,
          created: false,
          state: 'disabled',
          disabledReason: 'platform',
        })
        await callboard.subscriptions.enable({ ...made, by: 'platform' })
        await expect(callboard.subscriptions.find(made)).resolves.toMatchObject({
          state: 'active',
          disabledReason: undefined,
        })
      })
    })

    describe('the input (section 4.4 of the /v1 contract)', () => {
      it('is refused if a field is invalid, with a message of at most 200 characters that names the field', async ({
        callboard,
      }) => {
        const wrong = [
          ['targetUrl', { targetUrl: 'http://hooks.example.com/Hook' }],
          ['targetUrl', { targetUrl: 'https://user:secret@hooks.example.com/' }],
          ['targetUrl', { targetUrl: 'https://hooks.example.com/#part' }],
          ['targetUrl', { targetUrl: 'https://hooks.example.com/\u0000' }],
          ['targetUrl', { targetUrl: `https://hooks.example.com/${'a'.repeat(2048)}` }],
          ['targetUrl', { targetUrl: 'https://127.0.0.1/' }],
          ['targetUrl', { targetUrl: 'https://0x7f.1/' }],
          ['targetUrl', { targetUrl: 'https://[::1]/' }],
          ['targetUrl', { targetUrl: 'https://localhost/' }],
          ['targetUrl', { targetUrl: 'https://intranet/' }],
          ['targetUrl', { targetUrl: 'https://db.internal/' }],
          ['targetUrl', { targetUrl: 7 }],
          ['eventTypes', { eventTypes: [] }],
          ['eventTypes', { eventTypes: Array.from({ length: 51 }, (_, index) => `type.n${index}`) }],
          ['eventTypes', { eventTypes: ['order.paid', 'no.such\u0000'] }],
          ['eventTypes', { eventTypes: 'order.paid' }],
          ['eventTypes.1', { eventTypes: ['order.paid', null] }],
          ['integration', { integration: 'Zapier' }],
          ['integration', { integration: 'za\u0000pier' }],
          ['integration', { integration: undefined }],
          ['externalRef', { externalRef: '' }],
          ['externalRef', { externalRef: 'x'.repeat(256) }],
          ['externalRef', { externalRef: 'a\u0000' }],
          ['externalRef', { externalRef: '\udfff' }],
          ['externalRef', { externalRef: 7 }],
          ['', null],
          ['', []],
          ['', 'text'],
        ] as const
        const caller = await newCaller(callboard)
        for (const [path, other] of wrong) {
          const input = path === '' ? other : { ...INPUT, ...(other as object) }
          const error = (await thrownBy(engineOf(callboard).apiSubscriptions.create(caller, input))) as CallboardError
          expect(error, JSON.stringify(other)).toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ path }] })
          expect(error.message.length).toBeLessThanOrEqual(200)
        }
        await expect(callboard.subscriptions.list({ accountId: 'acc' })).resolves.toEqual([])
      })

      it('is refused with an error that names every invalid field and lists all unknown types', async ({
        callboard,
      }) => {
        const input = {
          targetUrl: 'ftp://x',
          eventTypes: ['order.paid', 'a.b', 'c.d'],
          integration: 'x',
          externalRef: '',
        }
        const error = (await thrownBy(
          engineOf(callboard).apiSubscriptions.create(await newCaller(callboard), input),
        )) as CallboardError
        const wrong = ['targetUrl', 'eventTypes', 'eventTypes', 'integration', 'externalRef']
        expect(error.issues.map(({ path }) => path)).toEqual(wrong)
        expect(error.issues.slice(1, 3).map(({ message }) => message)).toEqual([
          expect.stringContaining('"a.b"'),
          expect.stringContaining('"c.d"'),
        ])
        const onlyTypes = { ...input, targetUrl: INPUT.targetUrl, integration: 'other', externalRef: null }
        const listed = (await thrownBy(
          engineOf(callboard).apiSubscriptions.create(await newCaller(callboard), onlyTypes),
        )) as CallboardError
        expect(listed.message).toMatch(/"a\.b", "c\.d"/)
      })

      it('keeps its externalRef of 255 code points, its targetUrl and the order of its types', async ({
        callboard,
      }) => {
        const input = {
          targetUrl: 'HTTPS://Hooks.Example.COM:443/a/../%7Eb?q=é',
          eventTypes: ['order.paid', 'attendee.checked_in', 'order.paid'].toReversed(),
          integration: 'other',
          externalRef: '😀'.repeat(255),
        }
        const made = await engineOf(callboard).apiSubscriptions.create(await newCaller(callboard), input)
        expect(made).toMatchObject({ ...input, eventTypes: ['order.paid', 'attendee.checked_in'] })
        await expect(callboard.subscriptions.find(made)).resolves.toMatchObject({ targetUrl: input.targetUrl })
      })

      it('can name any of the platform’s integrations, or "other"', async ({ open, callboard }) => {
        const caller = await newCaller(callboard)
        const platform = open({ integrations: [{ name: 'pipedream', displayName: 'Pipedream' }] })
        const create = (integration: string) =>
          engineOf(platform).apiSubscriptions.create(caller, { ...INPUT, integration })
        await expect(create('pipedream')).resolves.toMatchObject({ created: true })
        await expect(create('other')).resolves.toMatchObject({ created: true })
        await expect(create('zapier')).rejects.toMatchObject({ issues: [{ path: 'integration' }] })
      })
    })

    describe('a type that was removed from the catalogue', () => {
      it('is still shown in existing subscriptions, but new subscriptions cannot have it', async ({
        fixture,
        callboard,
      }) => {
        const caller = await newCaller(callboard)
        const made = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        const after = createCallboard({
          ...facadeOptions(fixture),
          catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }),
        })
        await expect(after.subscriptions.find(made)).resolves.toMatchObject({ eventTypes: INPUT.eventTypes })
        await expect(engineOf(after).apiSubscriptions.create(caller, INPUT)).rejects.toMatchObject({
          issues: [{ path: 'eventTypes', message: expect.stringContaining('attendee.checked_in') }],
        })
        expect((await engineOf(after).store.subscriptions.typesInUse()).sort()).toEqual([
          'attendee.checked_in',
          'order.paid',
        ])
      })
    })

    describe('removal (section 4.5 of the /v1 contract)', () => {
      it('takes a subscription out of the list, can be repeated, and allows it to be created anew', async ({
        callboard,
      }) => {
        const caller = await newCaller(callboard)
        const made = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        await engineOf(callboard).apiSubscriptions.remove(caller, made.id)
        await expect(engineOf(callboard).apiSubscriptions.remove(caller, made.id)).resolves.toBeUndefined()
        await expect(callboard.subscriptions.find(made)).resolves.toBeUndefined()
        await expect(callboard.subscriptions.list({ accountId: 'acc' })).resolves.toEqual([])
        const again = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        expect(again.created).toBe(true)
        expect(again.id).not.toBe(made.id)
        expect(again.secret).not.toBe(made.secret)
      })

      it('is refused for another account, another mode or an unknown id', async ({ callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        const made = await engineOf(callboard).apiSubscriptions.create(await newCaller(callboard), INPUT)
        const stranger = await newCaller(callboard, { accountId: 'other' })
        const tester = await newCaller(callboard, { mode: 'test' })
        for (const caller of [stranger, tester])
          await expect(engineOf(callboard).apiSubscriptions.remove(caller, made.id)).rejects.toMatchObject({
            code: 'NOT_FOUND',
          })
        for (const id of ['sub_nonsense', 'a\u0000', '', made.id.replace('sub', 'evt')])
          await expect(engineOf(callboard).apiSubscriptions.remove(stranger, id)).rejects.toMatchObject({
            code: 'NOT_FOUND',
          })
        await expect(callboard.subscriptions.find(made)).resolves.toMatchObject({ state: 'active' })
      })

      it('is possible for a disabled subscription', async ({ callboard }) => {
        const caller = await newCaller(callboard)
        const made = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        await callboard.subscriptions.disable({ ...made, by: 'platform' })
        await engineOf(callboard).apiSubscriptions.remove(caller, made.id)
        await expect(callboard.subscriptions.find(made)).resolves.toBeUndefined()
      })
    })

    describe('the number of subscriptions', () => {
      const numbered = (index: number) => ({ ...INPUT, targetUrl: `https://hooks.example.com/${index}` })

      it("is at most the platform's limit; a repeated creation never exceeds it, and a removal makes room", async ({
        callboard,
        open,
      }) => {
        const limited = open({ maxSubscriptions: 3 })
        const caller = await newCaller(callboard)
        const race = await Promise.allSettled(
          Array.from({ length: 6 }, (_, index) => engineOf(limited).apiSubscriptions.create(caller, numbered(index))),
        )
        expect(race.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
        for (const result of race)
          if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'SUBSCRIPTION_LIMIT_REACHED' })
        const [one] = await limited.subscriptions.list({ accountId: 'acc' })
        const same = { ...INPUT, targetUrl: one?.targetUrl }
        await expect(engineOf(limited).apiSubscriptions.create(caller, same)).resolves.toMatchObject({ created: false })
        await expect(
          engineOf(limited).apiSubscriptions.create(await newCaller(callboard, { mode: 'test' }), INPUT),
        ).resolves.toMatchObject({ created: true })
        await engineOf(limited).apiSubscriptions.remove(caller, one?.id ?? '')
        await expect(engineOf(limited).apiSubscriptions.create(caller, numbered(9))).resolves.toMatchObject({
          created: true,
        })
      })
    })

    describe('secrets', () => {
      it('are replaced by rotation; for 24 hours, the former secret signs as well', async ({ callboard, fixture }) => {
        const caller = await newCaller(callboard)
        const made = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        const secret = await callboard.subscriptions.rotateSecret({ ...made, by: 'platform' })
        expect(secret).toMatch(SECRET)
        expect(secret).not.toBe(made.secret)
        await expect(engineOf(callboard).apiSubscriptions.create(caller, INPUT)).resolves.toMatchObject({
          created: false,
          secret,
        })
        const signing = async () => {
          const { secrets = [] } = (await callboard.subscriptions.find(made)) ?? {}
          return Promise.all(secrets.map(({ sealed }) => engineOf(callboard).secretBox.open(made.id, sealed)))
        }
        await expect(signing()).resolves.toEqual([secret, made.secret])
        await fixture.advance(23 * 3_600_000)
        await expect(signing()).resolves.toEqual([secret, made.secret])
        await fixture.advance(2 * 3_600_000)
        await expect(signing()).resolves.toEqual([secret])
      })

      it('are not rotated with an invalid overlap', async ({ callboard }) => {
        const caller = await newCaller(callboard)
        const made = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        for (const overlapMs of [-1, Number.NaN, Number.POSITIVE_INFINITY])
          await expect(
            callboard.subscriptions.rotateSecret({ ...made, by: 'platform', overlapMs }),
          ).rejects.toMatchObject({
            code: 'VALIDATION_FAILED',
            issues: [{ path: 'overlapMs' }],
          })
        await expect(engineOf(callboard).apiSubscriptions.create(caller, INPUT)).resolves.toMatchObject({
          secret: made.secret,
        })
      })

      it('cannot be rotated for an unknown subscription', async ({ callboard }) => {
        const made = await engineOf(callboard).apiSubscriptions.create(await newCaller(callboard), INPUT)
        for (const ref of [
          { ...made, mode: 'test' as const },
          { ...made, accountId: 'other' },
          { ...made, id: 'sub_none' },
        ])
          await expect(callboard.subscriptions.rotateSecret({ ...ref, by: 'platform' })).rejects.toMatchObject({
            code: 'NOT_FOUND',
          })
      })

      it('can be decrypted after a rotation of the key ring, as long as the former ring key is kept', async ({
        callboard,
        open,
      }) => {
        const caller = await newCaller(callboard)
        const made = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        const rotated = open({ secretKeys: { current: 'k2', keys: RING } })
        await expect(engineOf(rotated).apiSubscriptions.create(caller, INPUT)).resolves.toMatchObject({
          secret: made.secret,
        })
        const secret = await rotated.subscriptions.rotateSecret({ ...made, by: 'platform' })
        const later = open({ secretKeys: { current: 'k2', keys: { k2: RING.k2 } } })
        await expect(engineOf(later).apiSubscriptions.create(caller, INPUT)).resolves.toMatchObject({ secret })
        await expect(engineOf(callboard).apiSubscriptions.create(caller, INPUT)).rejects.toMatchObject({
          code: 'CONFIGURATION_INVALID',
          message: expect.stringContaining('k2'),
        })
      })

      it('are bound to their subscription', async ({ callboard }) => {
        const caller = await newCaller(callboard)
        const one = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
        const two = await engineOf(callboard).apiSubscriptions.create(caller, { ...INPUT, externalRef: 'two' })
        const [sealed] = one.secrets
        await expect(engineOf(callboard).secretBox.open(two.id, sealed?.sealed ?? '')).rejects.toMatchObject({
          code: 'CONFIGURATION_INVALID',
        })
      })
    })
  },

  sql(it) {
    it('leave no plain secret and no token in any row of any table', async ({ callboard, fixture }) => {
      const key = await issueKey(callboard)
      const caller = await callerOf(callboard, key.token)
      const made = await engineOf(callboard).apiSubscriptions.create(caller, INPUT)
      const secret = await callboard.subscriptions.rotateSecret({ ...made, by: 'platform' })
      const successor = await callboard.keys.rotate({ accountId: 'acc', id: key.id })
      await callboard.publish(orderPaidEvent({ idempotencyKey: 'remembered' }))
      await fixture.store.deliveries.sequence(100)
      const rows = await fixture.everything()
      // Proves that the rows have been read.
      for (const kept of [INPUT.targetUrl, 'remembered', 'test key', 'v1.k1.']) expect(rows).toContain(kept)
      for (const hidden of [made.secret, secret, key.token, successor.token]) {
        const bare = hidden.replace(/^whsec_|^cb_live_/, '')
        const hex = Buffer.from(bare).toString('hex')
        const decoded = Buffer.from(bare, 'base64').toString('hex')
        for (const form of [bare, bare.slice(-30), hex, decoded]) expect(rows).not.toContain(form)
      }
    })
  },
})

describe('the number of subscriptions [memory]', () => {
  const it = facadeIt(memoryFixture)

  it('is limited to 500 by default', async ({ callboard }) => {
    const caller = await newCaller(callboard)
    const create = (externalRef: string) =>
      engineOf(callboard).apiSubscriptions.create(caller, { ...INPUT, externalRef })
    for (let count = 1; count <= 500; count++) await create(`${count}`)
    await expect(create('501')).rejects.toMatchObject({
      code: 'SUBSCRIPTION_LIMIT_REACHED',
      message: expect.stringContaining('500'),
    })
  })
})
