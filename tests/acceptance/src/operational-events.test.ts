import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { Caller } from '@callboard/core/store'
import { createTestSender } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { verify } from '@callboard/signature'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { callerOf, envelopes, issueKey, thrownBy } from './arrange.ts'
import { describeDeliveries, type World } from './delivery-it.ts'
import { RING, type SampleCallboard } from './on-each-store.ts'
import type { StoreFixture } from './stores.ts'
import { APRIL, versionedCatalog } from './versioned-catalog.ts'

const TYPES = ['subscription.failing', 'subscription.disabled', 'subscription.recovered']

/** A platform with an operational account, and a key of that account. */
async function operated(world: World<StoreFixture>) {
  const callboard = world.open({ operationalAccount: 'ops' })
  await callboard.accounts.create({ id: 'ops', name: 'Operations' })
  const { token } = await issueKey(callboard, { accountId: 'ops', scopes: ['webhooks.read', 'webhooks.write'] })
  return { callboard, token, operator: await callerOf(callboard, token) }
}

function subscribeTo(callboard: SampleCallboard, eventTypes: readonly string[], targetUrl: string, caller: Caller) {
  return engineOf(callboard).apiSubscriptions.create(caller, { targetUrl, eventTypes, integration: 'other' })
}

function get(callboard: SampleCallboard, path: string, token: string): Promise<Response> {
  return createRouter(callboard).fetch(
    new Request(`https://api.example.com${path}`, { headers: { authorization: `Bearer ${token}` } }),
  )
}

describeDeliveries('the operational account', {
  any(it) {
    describe('gets events about the subscriptions of other accounts', () => {
      it('when a subscription keeps failing, and when it has recovered', async ({ world }) => {
        const { callboard, operator } = await operated(world)
        const [customers, own] = [world.path(), world.path()]
        const { secret } = await subscribeTo(callboard, TYPES, world.receiver.url(own), operator)
        const { id } = await world.subscribe(customers)
        world.receiver.answer(customers, { status: 500 })
        await world.work({ retrySchedule: Array.from({ length: 14 }, () => 1) }, callboard)
        await world.publish()
        const subscription = { id, account_id: 'acc', mode: 'live' }
        const [failing] = await world.receiver.received(own)
        expect((await verify({ ...failing!, secret })).payload).toMatchObject({
          type: 'subscription.failing',
          account: { id: 'ops', name: 'Operations' },
          subject: { type: 'subscription', id },
          data: { subscription, since: expect.any(String), attempts: 10 },
        })
        world.receiver.answer(customers, { status: 200 })
        await callboard.deliveries.resendRange({ accountId: 'acc', subscriptionId: id, from: new Date(0) })
        const [, recovered] = await world.receiver.received(own, 2)
        expect((await verify({ ...recovered!, secret })).payload).toMatchObject({
          type: 'subscription.recovered',
          data: { subscription },
        })
      })

      it('when a worker disables a subscription, in the version of the operational account’s subscription', async ({
        world,
      }) => {
        const { operator } = await operated(world)
        const callboard = world.open({ operationalAccount: 'ops', catalog: versionedCatalog })
        const [customers, own] = [world.path(), world.path()]
        await subscribeTo(callboard, TYPES, world.receiver.url(own), { ...operator, apiVersion: APRIL })
        const { id } = await world.subscribe(customers)
        world.receiver.answer(customers, { status: 410 })
        await world.work({}, callboard)
        await world.publish()
        const [disabled] = await world.receiver.received(own)
        expect(JSON.parse(disabled!.body.toString())).toMatchObject({
          type: 'subscription.disabled',
          version: APRIL,
          data: { subscription: { id, account_id: 'acc', mode: 'live' }, reason: 'gone' },
        })
      })
    })

    it('gets no event about a subscription of its own', async ({ world }) => {
      const { callboard, operator } = await operated(world)
      const [gone, own] = [world.path(), world.path()]
      await subscribeTo(callboard, TYPES, world.receiver.url(own), operator)
      const ownPaid = await subscribeTo(callboard, ['order.paid'], world.receiver.url(gone), operator)
      const customers = await world.subscribe(gone)
      world.receiver.answer(gone, { status: 410 })
      await world.work({}, callboard)
      await world.publish(1, { accountId: 'ops' })
      await world.recorded({ ...ownPaid, accountId: 'ops', mode: 'live' }, 1)
      await world.publish()
      const received = await world.receiver.received(own)
      expect(received.map(({ body }) => JSON.parse(body.toString()).subject.id)).toEqual([customers.id])
      expect((await envelopes(callboard, { accountId: 'ops' })).map(({ type }) => type)).toEqual([
        'subscription.disabled',
        'order.paid',
      ])
    })

    it('alone sees the operational event types and can subscribe to them', async ({ world }) => {
      const { callboard, token, operator } = await operated(world)
      const typesFor = async (key: string): Promise<string[]> => {
        const { data } = (await (await get(callboard, '/v1/event-types', key)).json()) as { data: { type: string }[] }
        return data.map(({ type }) => type)
      }
      expect(await typesFor(world.key.token)).toEqual(['order.paid', 'attendee.checked_in'])
      expect(await typesFor(token)).toEqual(['order.paid', 'attendee.checked_in', ...TYPES])
      const statusFor = async (key: string) =>
        (await get(callboard, '/v1/events?type=subscription.failing', key)).status
      expect([await statusFor(world.key.token), await statusFor(token)]).toEqual([400, 200])
      const url = world.receiver.url(world.path())
      expect(await thrownBy(subscribeTo(callboard, [TYPES[0]!], url, world.caller))).toMatchObject({
        code: 'VALIDATION_FAILED',
        issues: [{ path: 'eventTypes' }],
      })
      await expect(subscribeTo(callboard, TYPES, url, operator)).resolves.toMatchObject({ eventTypes: TYPES })
    })

    it('can send itself a test event of an operational type', async ({ world }) => {
      const { callboard } = await operated(world)
      const path = world.path()
      const subscription = await callboard.subscriptions.create({
        accountId: 'ops',
        targetUrl: world.receiver.url(path),
        eventTypes: TYPES,
        personalData: false,
      })
      const sender = createTestSender(callboard, { extraCaCertificates: [world.receiver.ca] })
      await sender.send(subscription, 'subscription.failing')
      await sender.close()
      const [received] = world.receiver.at(path)
      expect(JSON.parse(received!.body.toString())).toMatchObject({ test: true, type: 'subscription.failing' })
    })

    it('can be created later: until then each event goes to onError, and deliveries go on', async ({ world }) => {
      const callboard = world.open({ operationalAccount: 'ops' })
      const [gone, fine] = [world.path(), world.path()]
      await world.subscribe(gone)
      const { id } = await world.subscribe(fine)
      world.receiver.answer(gone, { status: 410 })
      const worker = await world.work({}, callboard)
      await world.publish()
      await world.recorded({ accountId: 'acc', mode: 'live', id }, 1)
      await worker.stop()
      expect(world.disabled).toMatchObject([{ reason: 'gone' }])
      expect(world.errors).toMatchObject([{ code: 'ACCOUNT_UNKNOWN' }])
    })

    it('is refused if the catalogue already defines one of its event types, or if its id is invalid', async ({
      world,
    }) => {
      const mine = defineEventType({
        name: 'subscription.failing',
        family: 'mine',
        descriptionKey: 'k',
        schema: z.object({}),
        sample: {},
      })
      const catalog = defineCatalog({ version: '2026-10-01', types: [mine] })
      const platform = { catalog, store: world.tap.store, secretKeys: { current: 'k1', keys: { k1: RING.k1 } } }
      expect(() => createCallboard({ ...platform, operationalAccount: 'ops' })).toThrow(
        expect.objectContaining({
          code: 'CONFIGURATION_INVALID',
          message: expect.stringContaining('subscription.failing'),
        }),
      )
      expect(() => world.open({ operationalAccount: '' })).toThrow(
        expect.objectContaining({ message: expect.stringContaining('operationalAccount') }),
      )
    })
  },
})
