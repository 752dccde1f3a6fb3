import { Server } from 'node:net'
import type { SubscriptionInput, SubscriptionWithSecret } from '@callboard/core'
import { createTestSender, type TestSender, type TestSenderOptions } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { verify } from '@callboard/signature'
import { describe, expect, vi } from 'vitest'
import { thrownBy } from './arrange.ts'
import { type DeliveryIt, describeDeliveries, gate, type World } from './delivery-it.ts'
import { RING } from './on-each-store.ts'
import { catalog } from './sample-catalog.ts'
import type { StoreFixture } from './stores.ts'

const TYPE = 'order.paid'
const SAMPLE = catalog.get(TYPE)?.sample
/** The sample's line without its personal data. */
const TICKET = { name: 'Ticket', attendee: {} }

describeDeliveries('a test event', {
  any(it: DeliveryIt<StoreFixture>) {
    it('bears the platform’s own names in its headers, as a delivery does', async ({ world }) => {
      const { made, path } = await make(world)
      const own = world.open({ headerNames: { userAgent: 'Harbour/2', test: 'harbour-test' } })
      await sending({ ...world, callboard: own }, (sender) => sender.send(made, TYPE))
      await world.work({}, own)
      await world.publish(1)
      const [test, delivery] = await world.receiver.received(path, 2)
      expect(test?.headers).toMatchObject({ 'user-agent': 'Harbour/2', 'harbour-test': 'true' })
      expect(test?.headers).not.toHaveProperty('callboard-test')
      expect(delivery?.headers).toMatchObject({ 'user-agent': 'Harbour/2' })
    })

    it('is signed like a delivery, and is marked as a test in its signed body and in a header', async ({ world }) => {
      const { made, path } = await make(world)
      const { secret } = made
      const newer = await world.callboard.subscriptions.rotateSecret({ ...made, by: 'account' })
      const sent = await sending(world, (sender) => sender.send(made, TYPE))
      const [received] = world.receiver.at(path)
      expect(received?.headers).toMatchObject({
        'callboard-test': 'true',
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^Callboard\//),
        'webhook-id': sent.eventId,
      })
      const event = await verify({ ...received!, secret })
      await expect(verify({ ...received!, secret: newer })).resolves.toEqual(event)
      expect(event.payload).toEqual({
        test: true,
        id: expect.stringMatching(/^test_[0-9a-z]{26}$/),
        type: TYPE,
        version: catalog.version,
        occurred_at: expect.stringMatching(/Z$/),
        account: { id: 'acc', name: 'Acme' },
        subject: { type: 'order', id: sent.eventId, sequence: 0 },
        correlation_id: null,
        livemode: false,
        data: { order: { id: 'ord_1', status: 'paid', buyer: { entity_id: 'per_1' }, lines: [TICKET] } },
      })
    })

    it('is signed without a former secret whose encryption key is gone, as a delivery is', async ({ world }) => {
      const { made, path } = await make(world)
      const both = world.open({ secretKeys: { current: 'k2', keys: RING } })
      const secret = await both.subscriptions.rotateSecret({ ...made, by: 'account' })
      const later = world.open({ secretKeys: { current: 'k2', keys: { k2: RING.k2 } } })
      await sending({ ...world, callboard: later }, (sender) => sender.send(made, TYPE))
      await verify({ ...world.receiver.at(path)[0]!, secret })
      expect(world.errors).toMatchObject([{ code: 'CONFIGURATION_INVALID' }])
    })

    it('is signed by the store’s clock if this process’s clock is an hour off', async ({ world }) => {
      const { made, path } = await make(world)
      const sender = createTestSender(world.open({ now: () => Date.now() - 3_600_000 }), {
        extraCaCertificates: [world.receiver.ca],
      })
      await sender.send(made, TYPE)
      await sender.close()
      await verify({ ...world.receiver.at(path)[0]!, secret: made.secret })
    })

    it('has the sample’s personal data if its subscription receives personal data', async ({ world }) => {
      const { made, path } = await make(world, { personalData: true })
      await sending(world, (sender) => sender.send(made, TYPE))
      expect(JSON.parse(String(world.receiver.at(path)[0]?.body)).data).toEqual(SAMPLE)
    })

    it('is reported with its outcome and the exact bytes that were sent', async ({ world }) => {
      const { made, path } = await make(world)
      world.receiver.answer(path, { status: 201, body: 'thanks' }, { status: 503, body: 'later' }, 'drop')
      await sending(world, async (sender) => {
        const first = await sender.send(made, TYPE)
        expect(first).toMatchObject({ type: TYPE, outcome: 'delivered', status: 201, response: 'thanks' })
        expect(first.durationMs).toBeGreaterThanOrEqual(0)
        const [received] = world.receiver.at(path)
        expect(first.request).toMatchObject({ url: made.targetUrl, body: String(received?.body) })
        expect(received?.headers).toMatchObject(first.request.headers)
        expect(await sender.send(made, TYPE)).toMatchObject({ outcome: 'failed', status: 503, response: 'later' })
        const dropped = { outcome: 'failed', status: undefined, reason: 'reset', response: undefined }
        expect(await sender.send(made, TYPE)).toMatchObject(dropped)
      })
    })

    it('is not stored and does not count against the target', async ({ world }) => {
      const { made, path } = await make(world)
      world.receiver.answer(path, { status: 410 })
      await sending(world, (sender) => sender.send(made, TYPE))
      expect(await world.attempts(made)).toEqual([])
      expect((await world.callboard.events.page({ accountId: 'acc' })).data).toEqual([])
      expect(
        (await world.callboard.deliveries.list({ accountId: made.accountId, subscriptionId: made.id })).deliveries,
      ).toEqual([])
      expect(await world.callboard.subscriptions.find(made)).toMatchObject({ state: 'active' })
      expect(world.disabled).toEqual([])
    })

    it('reaches a disabled subscription, so that its target can be tested before it is enabled', async ({ world }) => {
      const { made } = await make(world)
      await world.callboard.subscriptions.disable({ ...made, by: 'account' })
      const sent = await sending(world, (sender) => sender.send(made, TYPE))
      expect(sent.outcome).toBe('delivered')
    })

    it('is sent as soon as the start check passes, even if the check failed for the previous test event', async ({
      world,
    }) => {
      const { made } = await make(world)
      const listen = vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function (this: Server) {
        queueMicrotask(() => this.emit('error', new Error('no descriptor is left')))
        return this
      })
      await sending(world, async (sender) => {
        expect(await thrownBy(sender.send(made, TYPE))).toMatchObject({ code: 'PINNING_UNSUPPORTED' })
        expect(await sender.send(made, TYPE)).toMatchObject({ outcome: 'delivered' })
      }).finally(() => listen.mockRestore())
    })

    describe('asked for through the API', () => {
      it('reaches the subscription of an integration, with the personal data that its key would get', async ({
        world,
      }) => {
        const { path, subscription, asking } = await managed(world)
        world.receiver.answer(path, { status: 201, body: 'thanks' }, 'drop')
        await asking(async (ask) => {
          const response = await ask({ type: TYPE })
          expect(response.status).toBe(200)
          const [received] = world.receiver.at(path)
          const { eventId, ...sent } = await response.json()
          expect(sent).toEqual({
            ...{ type: TYPE, outcome: 'delivered', status: 201, reason: null, message: null },
            ...{ durationMs: expect.any(Number), response: 'thanks' },
          })
          expect(received?.headers).toMatchObject({ 'callboard-test': 'true', 'webhook-id': eventId })
          const { payload } = await verify({ ...received!, secret: subscription.secret })
          expect(payload).toMatchObject({ test: true, data: SAMPLE })
          const message = 'The connection was closed before the target responded.'
          expect(await (await ask({ type: TYPE })).json()).toMatchObject({ status: null, reason: 'reset', message })
        })
        expect(await world.attempts(subscription)).toEqual([])
      })

      it('shows no response and sends no personal data to a key that may not read personal data', async ({ world }) => {
        const { path, subscription, asking } = await managed(world)
        const { key, id } = await writer(world)
        world.receiver.answer(path, { status: 200, body: 'hello Ada' })
        await asking(async (ask) => {
          expect(await (await ask({ type: TYPE }, key)).json()).not.toHaveProperty('response')
          expect(JSON.parse(String(world.receiver.at(path)[0]?.body)).data).toEqual(SAMPLE)
          expect(await world.callboard.subscriptions.find(subscription)).toMatchObject({ confirmedBy: world.key.id })
          await world.callboard.subscriptions.enable({ ...subscription, by: 'platform', keyId: id })
          await ask({ type: TYPE }, key)
          expect(JSON.parse(String(world.receiver.at(path)[1]?.body)).data).toMatchObject({
            order: { buyer: { entity_id: 'per_1' }, lines: [TICKET] },
          })
        })
      })

      it('is refused for a disabled subscription, one from the dashboard, and a type that it lacks', async ({
        world,
      }) => {
        const { path, subscription, asking } = await managed(world)
        const { made } = await make(world)
        const codeOf = async (response: Response) => [response.status, (await response.json()).errorCode]
        await asking(async (ask) => {
          for (const body of [{}, { type: 7 }, { type: 'order.lost' }, { type: 'attendee.checked_in' }, []])
            expect(await codeOf(await ask(body))).toEqual([400, 'VALIDATION_FAILED'])
          expect(await codeOf(await ask({ type: TYPE }, undefined, made.id))).toEqual([404, 'NOT_FOUND'])
          await world.callboard.subscriptions.disable({ ...subscription, by: 'platform' })
          expect(await codeOf(await ask({ type: TYPE }))).toEqual([409, 'SUBSCRIPTION_DISABLED'])
        })
        expect(world.receiver.at(path)).toEqual([])
      })

      it('is refused to all accounts once a host has had its share, whoever asks', async ({ world }) => {
        const { path, asking } = await managed(world)
        await world.callboard.accounts.create({ id: 'other', name: 'Other' })
        const { made: others } = await make(world, {}, 'other')
        let time = 0
        const options = { perHostAndMinute: 2, elapsed: () => time }
        await asking(async (ask, sender) => {
          await sender.send(others, TYPE)
          expect((await ask({ type: TYPE })).status).toBe(200)
          time = 15_500
          const response = await ask({ type: TYPE })
          expect([response.status, response.headers.get('retry-after')]).toEqual([429, '45'])
          expect((await response.json()).message).toContain('this host')
          expect(await thrownBy(sender.send(others, TYPE))).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 45 })
          time = 60_000
          expect((await ask({ type: TYPE })).status).toBe(200)
        }, options)
        expect(world.receiver.at(path)).toHaveLength(2)
      })

      it('sends no more than an account may, however often a key asks', async ({ world }) => {
        const { path, asking } = await managed(world)
        await asking(async (ask) => {
          const responses = await Promise.all(Array.from({ length: 30 }, () => ask({ type: TYPE })))
          const statuses = responses.map(({ status }) => status)
          expect(new Set(statuses)).toEqual(new Set([200, 429]))
          expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(10)
          expect(world.receiver.at(path)).toHaveLength(statuses.filter((status) => status === 200).length)
        })
      })
    })

    describe('is refused', () => {
      it('for a subscription of an integration or another account, and for a type that is not subscribed to', async ({
        world,
      }) => {
        const { made, path } = await make(world)
        const managed = await world.subscribe(path)
        await sending(world, async (sender) => {
          expect(await thrownBy(sender.send(managed, TYPE))).toMatchObject({ code: 'SUBSCRIPTION_MANAGED' })
          expect(await sender.send({ ...managed, by: 'platform' }, TYPE)).toMatchObject({ outcome: 'delivered' })
          expect(await thrownBy(sender.send({ ...made, accountId: 'other' }, TYPE))).toMatchObject({
            code: 'NOT_FOUND',
          })
          for (const type of ['attendee.checked_in', 'order.lost'])
            expect(await thrownBy(sender.send(made, type))).toMatchObject({
              code: 'VALIDATION_FAILED',
              issues: [{ path: 'type' }],
            })
        })
        expect(world.receiver.at(path)).toHaveLength(1)
      })

      it('if the address policy would block a delivery', async ({ world }) => {
        const { made, path } = await make(world)
        const guarded = world.open({ targets: {} })
        const sender = createTestSender(guarded, { extraCaCertificates: [world.receiver.ca] })
        expect(await sender.send(made, TYPE)).toMatchObject({ outcome: 'failed', reason: 'blocked' })
        await sender.close()
        expect(world.receiver.at(path)).toEqual([])
      })

      it('for an account beyond its limit per minute, but not for other accounts', async ({ world }) => {
        const { made } = await make(world)
        await world.callboard.accounts.create({ id: 'other', name: 'Other' })
        const { made: others } = await make(world, {}, 'other')
        let time = 0
        await sending(
          world,
          async (sender) => {
            for (let count = 0; count < 3; count++) await sender.send(made, TYPE)
            time = 20_000
            expect(await thrownBy(sender.send(made, TYPE))).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 40 })
            await sender.send(others, TYPE)
            time = 60_000
            await sender.send(made, TYPE)
          },
          { perMinute: 3, elapsed: () => time },
        )
      })

      it('while the maximum number of tests is in flight', async ({ world }) => {
        const { made, path } = await make(world)
        const { opened, open } = gate()
        world.receiver.answer(path, { after: opened })
        await sending(
          world,
          async (sender) => {
            const first = sender.send(made, TYPE)
            await world.receiver.received(path)
            expect(await thrownBy(sender.send(made, TYPE))).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 1 })
            open()
            await first
            await sender.send(made, TYPE)
          },
          { atOnce: 1 },
        )
      })
    })
  },
})

async function make(
  { callboard, receiver, path: newPath }: World<StoreFixture>,
  input: Partial<SubscriptionInput> = {},
  accountId = 'acc',
): Promise<{ readonly made: SubscriptionWithSecret; readonly path: string }> {
  const path = newPath()
  const asked = { targetUrl: receiver.url(path), eventTypes: [TYPE], ...input }
  return { made: await callboard.subscriptions.create({ accountId, ...asked }), path }
}

/** A key that may change subscriptions, but may not read personal data. */
async function writer({ callboard }: World<StoreFixture>): Promise<{ readonly key: string; readonly id: string }> {
  const { token, id } = await callboard.keys.issue({ accountId: 'acc', name: 'Writer', scopes: ['webhooks.write'] })
  return { key: token, id }
}

type Ask = (body: object, key?: string, id?: string) => Promise<Response>

/** A subscription of an integration, and a router that sends test events to it. */
async function managed(world: World<StoreFixture>): Promise<{
  readonly path: string
  readonly subscription: SubscriptionWithSecret
  asking(use: (ask: Ask, sender: TestSender) => Promise<void>, options?: TestSenderOptions): Promise<void>
}> {
  const path = world.path()
  const subscription = await world.subscribe(path)
  return {
    path,
    subscription,
    asking: (use, options) =>
      sending(
        world,
        (sender) => {
          const { fetch } = createRouter(world.callboard, { tests: sender })
          const ask: Ask = (body, key = world.key.token, id = subscription.id) =>
            fetch(
              new Request(`https://api.example.com/v1/webhooks/subscriptions/${id}/test`, {
                method: 'POST',
                headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
                body: JSON.stringify(body),
              }),
            )
          return use(ask, sender)
        },
        options,
      ),
  }
}

async function sending<Result>(
  { callboard, receiver }: World<StoreFixture>,
  use: (sender: TestSender) => Promise<Result>,
  options: TestSenderOptions = {},
): Promise<Result> {
  const sender = createTestSender(callboard, { extraCaCertificates: [receiver.ca], ...options })
  try {
    return await use(sender)
  } finally {
    await sender.close()
  }
}
