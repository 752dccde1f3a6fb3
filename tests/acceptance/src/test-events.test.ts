import { Server } from 'node:net'
import type { SubscriptionInput, SubscriptionWithSecret } from '@callboard/core'
import { createTestSender, type TestSender, type TestSenderOptions } from '@callboard/delivery'
import { verify } from '@callboard/signature'
import { describe, expect, vi } from 'vitest'
import { thrownBy } from './arrange.ts'
import { type DeliveryIt, describeDeliveries, gate, type World } from './delivery-it.ts'
import { catalog } from './sample-catalog.ts'
import type { StoreFixture } from './stores.ts'

const TYPE = 'order.paid'
const SAMPLE = catalog.get(TYPE)?.sample
/** The sample's line without its personal data. */
const TICKET = { name: 'Ticket', attendee: {} }

describeDeliveries('a test event', {
  any(it: DeliveryIt<StoreFixture>) {
    it('is signed like a delivery, and is marked as a test in its signed body and in a header', async ({ world }) => {
      const { made, path } = await make(world)
      const { secret } = made
      const newer = await world.callboard.subscriptions.rotateSecret(made, { by: 'account' })
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
      expect((await world.callboard.deliveries.list(made)).deliveries).toEqual([])
      expect(await world.callboard.subscriptions.find(made)).toMatchObject({ state: 'active' })
      expect(world.disabled).toEqual([])
    })

    it('reaches a disabled subscription, so that its target can be tested before it is enabled', async ({ world }) => {
      const { made } = await make(world)
      await world.callboard.subscriptions.disable(made, { by: 'account' })
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

    describe('is refused', () => {
      it('for a subscription of an integration or another account, and for a type that is not subscribed to', async ({
        world,
      }) => {
        const { made, path } = await make(world)
        const managed = await world.subscribe(path)
        await sending(world, async (sender) => {
          expect(await thrownBy(sender.send(managed, TYPE))).toMatchObject({ code: 'SUBSCRIPTION_MANAGED' })
          expect(await thrownBy(sender.send({ ...made, accountId: 'other' }, TYPE))).toMatchObject({
            code: 'NOT_FOUND',
          })
          for (const type of ['attendee.checked_in', 'order.lost'])
            expect(await thrownBy(sender.send(made, type))).toMatchObject({
              code: 'VALIDATION_FAILED',
              issues: [{ path: 'type' }],
            })
        })
        expect(world.receiver.at(path)).toEqual([])
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
  return { made: await callboard.subscriptions.create({ accountId }, asked), path }
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
