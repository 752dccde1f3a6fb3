import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { SignatureFormat } from '@callboard/core'
import type { SubscriptionRef } from '@callboard/core/store'
import { createTestSender } from '@callboard/delivery'
import { verify } from '@callboard/signature'
import { Webhook } from 'svix'
import { describe, expect } from 'vitest'
import { thrownBy } from './arrange.ts'
import { type DeliveryIt, describeDeliveries, type World } from './delivery-it.ts'
import type { StoreFixture } from './stores.ts'

const GITHUB = {
  type: 'hmac',
  header: 'X-Hub-Signature-256',
  over: 'body',
  encoding: 'hex',
  prefix: 'sha256=',
} as const
const SHOPIFY = { type: 'hmac', header: 'X-Shopify-Hmac-Sha256', over: 'body', encoding: 'base64' } as const
const STRIPE = {
  type: 'hmac',
  header: 'Stripe-Signature',
  over: 'timestamp.body',
  encoding: 'hex',
  prefix: 't={timestamp},v1=',
} as const
const OWN = { ...STRIPE, header: 'X-Acme-Signature', prefix: 'v1=', timestampHeader: 'X-Acme-Timestamp' } as const

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

/** Checks of receivers, as each platform documents them. Each returns whether the signature is right. */
const receivers = {
  github: ({ headers, body }: Received, secret: string) =>
    headers['x-hub-signature-256'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  shopify: ({ headers, body }: Received, secret: string) =>
    headers['x-shopify-hmac-sha256'] === createHmac('sha256', secret).update(body).digest('base64'),
  stripe({ headers, body }: Received, secret: string) {
    const parts = String(headers['stripe-signature']).split(',')
    const [t, v1] = ['t', 'v1'].map((name) => parts.find((part) => part.startsWith(`${name}=`))?.split('=')[1])
    const isRecent = Math.abs(Date.now() / 1000 - Number(t)) < 300
    return (
      isRecent &&
      v1 ===
        createHmac('sha256', secret)
          .update(`${t}.${Buffer.from(body)}`)
          .digest('hex')
    )
  },
  own({ headers, body }: Received, secret: string) {
    const signed = `${headers['x-acme-timestamp']}.${Buffer.from(body)}`
    return headers['x-acme-signature'] === `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`
  },
}

/** Returns a function that publishes an event and returns its delivery. */
function deliveriesOf(world: World<StoreFixture>, path: string, subscription: SubscriptionRef) {
  let published = 0
  return async (): Promise<Received> => {
    await world.publish()
    await world.recorded(subscription, ++published)
    return world.receiver.at(path)[published - 1]!
  }
}

/** A subscription with these formats. */
async function subscribed(world: World<StoreFixture>, signatures: readonly SignatureFormat[]) {
  const path = world.path()
  const subscription = await world.subscribe(path)
  await world.callboard.subscriptions.setSignatures({ ...subscription, signatures })
  return { path, subscription, next: deliveriesOf(world, path, subscription) }
}

describeDeliveries('deliveries signed in other formats', {
  any(it: DeliveryIt<StoreFixture>) {
    it('are accepted by the receivers of Svix, GitHub, Shopify and Stripe', async ({ world }) => {
      const { subscription, next } = await subscribed(world, ['svix', GITHUB, SHOPIFY, STRIPE])
      const { secret } = subscription
      await world.work()
      const received = await next()
      const body = String(Buffer.from(received.body))
      expect(new Webhook(secret).verify(body, received.headers as Record<string, string>)).toEqual(JSON.parse(body))
      expect(receivers.github(received, secret)).toBe(true)
      expect(receivers.shopify(received, secret)).toBe(true)
      expect(receivers.stripe(received, secret)).toBe(true)
      expect(receivers.github({ ...received, body: Buffer.from(`${body} `) }, secret)).toBe(false)
    })

    it('have an id and a timestamp, but no standard signature unless it is listed', async ({ world }) => {
      const { subscription, next } = await subscribed(world, [OWN])
      await world.work()
      const first = await next()
      expect(receivers.own(first, subscription.secret)).toBe(true)
      expect(first.headers).toMatchObject({ 'webhook-id': expect.any(String), 'webhook-timestamp': expect.any(String) })
      expect(first.headers).not.toHaveProperty('webhook-signature')
      await world.callboard.subscriptions.setSignatures({ ...subscription, signatures: ['standard', OWN] })
      const second = await next()
      await verify({ ...second, secret: subscription.secret })
      expect(receivers.own(second, subscription.secret)).toBe(true)
      await world.callboard.subscriptions.setSignatures({ ...subscription, signatures: ['standard'] })
      const third = await next()
      await verify({ ...third, secret: subscription.secret })
      expect(third.headers).not.toHaveProperty('x-acme-signature')
    })

    it('can have any text as their secret until it is rotated, and then also the standard signature', async ({
      world,
    }) => {
      const path = world.path()
      const item = { accountId: 'acc', id: 'wh_1', targetUrl: world.receiver.url(path), eventTypes: ['order.paid'] }
      const signed = { integration: 'other', secret: 'hunter2 é', signatures: [GITHUB] } as const
      await world.callboard.subscriptions.import([{ ...item, ...signed }], { by: 'platform' })
      const subscription = { accountId: 'acc', mode: 'live', id: 'wh_1' } as const
      const next = deliveriesOf(world, path, subscription)
      await world.work()
      expect(receivers.github(await next(), 'hunter2 é')).toBe(true)

      const { setSignatures, rotateSecret } = world.callboard.subscriptions
      const both = { ...subscription, signatures: ['standard', GITHUB] } as const
      expect(await thrownBy(setSignatures(both))).toMatchObject({
        code: 'VALIDATION_FAILED',
        issues: [{ path: 'signatures', code: 'CONFLICT' }],
      })
      const secret = await rotateSecret({ ...subscription, by: 'platform' })
      // During the overlap, the header carries the signature of the newest secret only.
      expect(receivers.github(await next(), secret)).toBe(true)
      await setSignatures(both)
      const received = await next()
      expect(receivers.github(received, secret)).toBe(true)
      await verify({ ...received, secret })
      await setSignatures({ ...subscription, signatures: ['standard'] })
      await verify({ ...(await next()), secret })
      expect(world.errors).toEqual([])
    })

    it('are signed in the same way as test events', async ({ world }) => {
      const { path, subscription } = await subscribed(world, ['svix', OWN])
      const sender = createTestSender(world.callboard, { extraCaCertificates: [world.receiver.ca] })
      await sender.sendByKey(world.caller, subscription.id, { type: 'order.paid' })
      await sender.close()
      const received = world.receiver.at(path)[0]!
      const body = String(Buffer.from(received.body))
      new Webhook(subscription.secret).verify(body, received.headers as Record<string, string>)
      expect(receivers.own(received, subscription.secret)).toBe(true)
    })

    describe('setSignatures', () => {
      it('refuses formats that cannot be sent, and records a change', async ({ world }) => {
        const subscription = await world.subscribe(world.path())
        const { setSignatures } = world.callboard.subscriptions
        const refused = setSignatures({ ...subscription, signatures: [{ ...OWN, header: 'Content-Type' }] })
        expect(await thrownBy(refused)).toMatchObject({ issues: [{ path: 'signatures.0.header' }] })
        expect(await setSignatures({ ...subscription, signatures: [OWN] })).toMatchObject({ signatures: [OWN] })
        const { entries } = await world.callboard.audit.list({ accountId: 'acc', limit: 1 })
        expect(entries).toMatchObject([{ action: 'subscription.changed', details: { fields: ['signatures'] } }])
      })
    })
  },
})
