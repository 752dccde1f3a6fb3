import { createCallboard, createId, MODES } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createMemoryStore } from '@callboard/store-memory'
import { describe, expect, it as plainIt } from 'vitest'
import { newCaller, orderPaidEvent, thrownBy } from './arrange.ts'
import { describeOnEachStore, type FacadeOptions, RING, type SampleCallboard } from './on-each-store.ts'
import { catalog } from './sample-catalog.ts'

const OWNER = { accountId: 'acc' }
const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
const KEY = { accountId: 'acc', name: 'Zapier', scopes: ['webhooks.write'] } as const

describeOnEachStore('quotas', {
  any: (it) => {
    describe('an account’s keys', () => {
      it('are at most 100 by default, across both modes', async ({ callboard: { keys } }) => {
        for (let issued = 0; issued < 100; issued++) await keys.issue({ ...KEY, mode: MODES[issued % 2] })
        for (const mode of MODES)
          expect(await thrownBy(keys.issue({ ...KEY, mode }))).toMatchObject({
            code: 'KEY_LIMIT_REACHED',
            message: 'The account has reached its limit of 100 keys. Revoke one first.',
          })
      })

      it('make room once revoked, and can be rotated at the limit', async ({ open, callboard }) => {
        const { keys } = open({ maxKeys: 1 })
        const id = createId('key')
        await callboard.keys.issue({ ...KEY, id })
        expect(await thrownBy(keys.issue({ ...KEY, id }))).toMatchObject({ code: 'KEY_EXISTS' })
        const successor = await keys.rotate({ accountId: 'acc', id })
        expect(await thrownBy(keys.issue(KEY))).toMatchObject({
          code: 'KEY_LIMIT_REACHED',
          message: 'The account has reached its limit of 1 key. Revoke one first.',
        })
        await keys.revoke({ accountId: 'acc', id: successor.id })
        expect(await thrownBy(keys.issue(KEY))).toMatchObject({ code: 'KEY_LIMIT_REACHED' })
        await keys.revoke({ accountId: 'acc', id })
        await keys.issue(KEY)
        expect(await thrownBy(keys.issue({ ...KEY, accountId: 'nobody' }))).toMatchObject({ code: 'ACCOUNT_UNKNOWN' })
      })

      it('have at most two valid tokens for each key within the limit, however often they are rotated', async ({
        callboard,
        open,
      }) => {
        const { keys } = open({ maxKeys: 2 })
        for (let issued = 0; issued < 2; issued++) {
          let { id } = await keys.issue(KEY)
          for (let rotated = 0; rotated < 5; rotated++) ({ id } = await keys.rotate({ accountId: 'acc', id }))
          // The rotated key counts too, until its overlap ends.
          const { keys: listed } = await callboard.keys.list({ accountId: 'acc', limit: 100 })
          const valid = listed.filter(
            (key) => key.revokedAt === undefined && (key.expiresAt?.getTime() ?? 1e15) > Date.now(),
          )
          expect(valid).toHaveLength(2)
          expect(await thrownBy(keys.issue(KEY))).toMatchObject({ code: 'KEY_LIMIT_REACHED' })
          for (const key of valid) await keys.revoke({ accountId: 'acc', id: key.id })
        }
      })

      it('never exceed the limit when they are issued at the same time', async ({ callboard, open }) => {
        const { keys } = open({ maxKeys: 3 })
        const race = await Promise.allSettled(Array.from({ length: 10 }, () => keys.issue(KEY)))
        expect(race.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
        expect((await callboard.keys.list({ accountId: 'acc' })).keys).toHaveLength(3)
      })
    })

    describe('the changes of an account’s keys and viewers', () => {
      it('are limited per minute, except those that end something and those of the platform', async ({
        callboard,
        open,
      }) => {
        const platform = open({ maxChangesPerMinute: 3 })
        const viewer = platform.as({ type: 'viewer', id: 'usr_1' })
        const { id } = await viewer.subscriptions.create({ ...OWNER, ...INPUT })
        const ref = { accountId: 'acc', id }
        const rename = (description: string) => viewer.subscriptions.change({ ...ref, description })
        await rename('a')
        for (let repeats = 0; repeats < 5; repeats++) await rename('a')
        const key = await viewer.keys.issue(KEY)
        for (const call of [
          () => rename('b'),
          () => viewer.keys.issue(KEY),
          () => viewer.keys.rotate({ accountId: 'acc', id: key.id }),
          () => viewer.subscriptions.create({ ...OWNER, ...INPUT }),
          () => viewer.subscriptions.rotateSecret({ ...ref, by: 'account' }),
        ])
          expect(await thrownBy(call())).toMatchObject({ code: 'RATE_LIMITED', retryAfter: expect.any(Number) })
        await platform.subscriptions.change({ ...ref, description: 'c' })
        await viewer.keys.revoke({ accountId: 'acc', id: key.id })
        await viewer.subscriptions.disable({ ...ref, by: 'account' })
        await viewer.subscriptions.remove({ ...ref, by: 'account' })
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        await viewer.keys.issue({ ...KEY, accountId: 'other' })
      })
    })

    describe('an account’s new subscriptions', () => {
      const create = ({ subscriptions }: SampleCallboard, mode = MODES[0]) =>
        subscriptions.create({ ...OWNER, mode, ...INPUT })

      it('are at most 60 a minute by default, across both modes and even if they are removed', async ({
        callboard,
        open,
      }) => {
        const platform = open({ maxNewSubscriptionsPerMinute: undefined })
        for (let created = 0; created < 60; created++)
          await callboard.subscriptions.remove({ ...(await create(platform, MODES[created % 2])), by: 'account' })
        const error = await thrownBy(create(platform))
        expect(error).toMatchObject({
          code: 'RATE_LIMITED',
          message: expect.stringMatching(
            /^The account has reached its limit of 60 new subscriptions a minute\. Try again in \d+ seconds?\.$/,
          ),
        })
      })

      it('do not include an existing subscription that is created again', async ({ open, callboard }) => {
        const { apiSubscriptions } = engineOf(open({ maxNewSubscriptionsPerMinute: 1 }))
        const caller = await newCaller(callboard)
        await apiSubscriptions.create(caller, { ...INPUT, integration: 'other' })
        for (let repeats = 0; repeats < 3; repeats++)
          expect(await apiSubscriptions.create(caller, { ...INPUT, integration: 'other' })).toMatchObject({
            created: false,
          })
        const another = { ...INPUT, integration: 'other', externalRef: 'another' }
        expect(await thrownBy(apiSubscriptions.create(caller, another))).toMatchObject({ code: 'RATE_LIMITED' })
      })

      it('are possible again once the seconds that the error names have passed', async ({ fixture, open }) => {
        const callboard = open({ maxNewSubscriptionsPerMinute: 2 })
        await callboard.accounts.create({ id: 'acc', name: 'Acme' })
        await create(callboard)
        await fixture.advance(30_000)
        await create(callboard)
        const { retryAfter = 0 } = (await thrownBy(create(callboard))) as { readonly retryAfter?: number }
        expect(retryAfter).toBeGreaterThan(0)
        expect(retryAfter).toBeLessThanOrEqual(30)
        await fixture.advance(retryAfter * 1000)
        await create(callboard)
      })
    })

    describe('an account’s events', () => {
      const limited = (open: (options: FacadeOptions) => SampleCallboard) => {
        const clock = { now: Date.now() }
        return { clock, callboard: open({ maxEventsPerSecond: 4, now: () => clock.now }) }
      }
      const ids = async ({ events }: SampleCallboard) => (await events.page({ ...OWNER, limit: 100 })).data.length

      it('are limited to maxEventsPerSecond, after a burst of one second', async ({ open, callboard }) => {
        const { clock, callboard: platform } = limited(open)
        for (let published = 0; published < 4; published++) await platform.publish(orderPaidEvent())
        const refused = await thrownBy(platform.publish(orderPaidEvent()))
        expect(refused).toMatchObject({
          code: 'PUBLISH_LIMIT_REACHED',
          message: 'The account has reached its limit of 4 events a second. Try again in 250 ms.',
          retryAfterMs: 250,
        })
        clock.now += 249
        expect(await thrownBy(platform.publish(orderPaidEvent()))).toMatchObject({ retryAfterMs: 1 })
        clock.now += 1
        await platform.publish(orderPaidEvent())
        clock.now += 60_000
        for (let published = 0; published < 4; published++) await platform.publish(orderPaidEvent())
        expect(await thrownBy(platform.publish(orderPaidEvent()))).toMatchObject({ retryAfterMs: 250 })
        expect(await ids(callboard)).toBe(9)
      })

      it('are all published or none, and each event of a batch counts', async ({ open, callboard }) => {
        await callboard.accounts.create({ id: 'other', name: 'Other' })
        const { clock, callboard: platform } = limited(open)
        const batch = (events: number, accountId = 'acc') =>
          Array.from({ length: events }, () => ({ ...orderPaidEvent(), accountId }))
        await platform.publishMany(batch(3))
        const mixed = [...batch(4, 'other'), ...batch(2)]
        expect(await thrownBy(platform.publishMany(mixed))).toMatchObject({ retryAfterMs: 250 })
        await platform.publishMany(batch(4, 'other'))
        await platform.publishMany(batch(1))
        clock.now += 999
        expect(await thrownBy(platform.publishMany(batch(4)))).toMatchObject({ retryAfterMs: 1 })
        clock.now += 1
        await platform.publishMany(batch(4))
        expect(await ids(callboard)).toBe(8)
      })

      it('are refused with another message if the batch could never be published', async ({ open }) => {
        const { callboard: platform } = limited(open)
        await platform.accounts.create({ id: 'acc', name: 'Acme' })
        expect(await thrownBy(platform.publishMany(Array.from({ length: 5 }, () => orderPaidEvent())))).toMatchObject({
          code: 'PUBLISH_LIMIT_REACHED',
          message:
            'publishMany cannot publish 5 events of one account at once, because its limit is 4 events a second. ' +
            'Publish them in smaller batches.',
          retryAfterMs: undefined,
        })
        await platform.publishMany(Array.from({ length: 4 }, () => orderPaidEvent()))
      })
    })
  },
})

/** A platform with an unusable store, so that a call that reaches the store fails with another error. */
function withoutStore(options: FacadeOptions): SampleCallboard {
  const store = { ...createMemoryStore(), events: undefined as never }
  return createCallboard({ catalog, store, secretKeys: { current: 'k1', keys: { k1: RING.k1 } }, ...options })
}

describe('the limit of events', () => {
  plainIt('is checked before anything reaches the store', async () => {
    const { publishMany } = withoutStore({ maxEventsPerSecond: 1 })
    expect(await thrownBy(publishMany([orderPaidEvent(), orderPaidEvent()]))).toMatchObject({
      code: 'PUBLISH_LIMIT_REACHED',
    })
  })

  plainIt('applies to an account at once after the clock was set back by an hour', async () => {
    const clock = { now: Date.now() }
    const options = { maxEventsPerSecond: 1, now: () => clock.now }
    const callboard = withoutStore({ ...options, store: createMemoryStore() })
    await callboard.accounts.create({ id: 'acc', name: 'Acme' })
    const publish = () => callboard.publish(orderPaidEvent())
    await publish()
    clock.now -= 3_600_000
    await publish()
    expect(await thrownBy(publish())).toMatchObject({ code: 'PUBLISH_LIMIT_REACHED' })
  })
})

describe('createCallboard', () => {
  const COUNTS = [
    'maxKeys',
    'maxChangesPerMinute',
    'maxSubscriptions',
    'maxNewSubscriptionsPerMinute',
    'maxEventsPerSecond',
    'maxEventBytes',
    'eventHorizonMs',
  ] as const

  plainIt.each(
    COUNTS.flatMap((option) =>
      [0, -1, Number.NaN, 1.5, Number.POSITIVE_INFINITY].map((value) => [option, value] as const),
    ),
  )('refuses the %s %d', (option, value) => {
    expect(() => withoutStore({ [option]: value })).toThrow(
      expect.objectContaining({
        code: 'CONFIGURATION_INVALID',
        message: expect.stringMatching(new RegExp(`^${option} must be a whole number from 1 to \\d+\\.$`)),
      }),
    )
  })

  plainIt.each([0, -1, Number.NaN, 1.5])('refuses the retention.maxResponses %d', (maxResponses) => {
    expect(() => withoutStore({ retention: { maxResponses } })).toThrow(
      expect.objectContaining({
        code: 'CONFIGURATION_INVALID',
        message: 'retention.maxResponses must be a whole number from 1 to 1000000000.',
      }),
    )
  })

  plainIt.each([
    '',
    'api.example.com',
    'http://api.example.com',
    'https://',
    'https://*.example.com',
    'https://user@api.example.com',
  ])('refuses the publicUrl %j', (publicUrl) => {
    expect(() => withoutStore({ publicUrl })).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION_INVALID', message: expect.stringMatching(/^publicUrl must be/) }),
    )
  })
})

describe('publicUrl', () => {
  const check = (publicUrl: string, targets: readonly string[], options: FacadeOptions = {}) => {
    const { subscriptions } = withoutStore({ publicUrl, ...options })
    return targets.map((target) => subscriptions.checkTarget({ targetUrl: target })?.code)
  }

  plainIt('refuses its host as a target, in any notation and on any path or port', () => {
    const targets = ['https://api.example.com/', 'https://API.example.com./v1/me?x', 'https://api.example.com:8443/']
    expect(check('https://API.example.com:8443/api', targets)).toEqual(['TARGET', 'TARGET', 'TARGET'])
    expect(check('https://api.example.com./', targets)).toEqual(['TARGET', 'TARGET', 'TARGET'])
    expect(check('https://bücher.example', ['https://xn--bcher-kva.example/'])).toEqual(['TARGET'])
  })

  plainIt('refuses only the exact host', () => {
    expect(check('https://example.com', ['https://hooks.example.com/', 'https://example.org/'])).toEqual([
      undefined,
      undefined,
    ])
  })

  plainIt('refuses its host even if the host is an address or the target policy allows it', () => {
    const targets = {
      allowedCidrs: ['fd00::/8'],
      allowedHostNames: ['localhost'],
      refusedHostNames: ['admin.example.com'],
      allowedPorts: 'any',
    } as const
    expect(check('https://[fd00:0::1]', ['https://[fd00::1]/', 'https://[fd00::2]/'], { targets })).toEqual([
      'TARGET',
      undefined,
    ])
    const own = ['https://localhost:3000/', 'https://admin.example.com/']
    expect(check('https://localhost:8080', own, { targets })).toEqual(['TARGET', 'TARGET'])
  })
})
