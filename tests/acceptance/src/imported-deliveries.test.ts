import type { ImportItem, Scope } from '@callboard/core'
import { createTestSender } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { verify } from '@callboard/signature'
import { expect } from 'vitest'
import { issueKey } from './arrange.ts'
import { describeDeliveries, idsOf, type World } from './delivery-it.ts'
import type { StoreFixture } from './stores.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OLD_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const ID = '7f9c24e8-3b12-4f.5A_b'

/** Imports a subscription to `order.paid` for a path of the receiver. */
async function importOne(
  { callboard, receiver, path }: World<StoreFixture>,
  overrides: Partial<ImportItem> = {},
): Promise<{ readonly item: ImportItem; readonly at: string }> {
  const at = path()
  const targetUrl = receiver.url(at)
  const secrets = [{ secret: SECRET }, { secret: OLD_SECRET }]
  const item = { accountId: 'acc', id: ID, targetUrl, eventTypes: ['order.paid'], integration: 'zapier', secrets }
  const given = { ...item, ...overrides }
  expect(await callboard.subscriptions.import([given], { by: 'platform' })).toMatchObject([{ outcome: 'imported' }])
  return { item: given, at }
}

/** The calls of the API with a key that has these scopes. */
async function apiOf(world: World<StoreFixture>, scopes: readonly Scope[]) {
  const { token } = await issueKey(world.callboard, { scopes })
  const tests = createTestSender(world.callboard, { extraCaCertificates: [world.receiver.ca] })
  const { fetch } = createRouter(world.callboard, { tests })
  return async (method: string, path: string, json?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) }
    const url = `https://api.example.com/v1/webhooks/subscriptions${path}`
    const response = await fetch(new Request(url, { method, headers, body: json ? JSON.stringify(json) : null }))
    const text = await response.text()
    return { status: response.status, ...(text !== '' && { body: JSON.parse(text) }) }
  }
}

describeDeliveries('an imported subscription', {
  any(it) {
    it('receives events from the import on, signed with its secrets, and earlier ones by a backfill', async ({
      world,
    }) => {
      const [earlier] = await world.publish()
      const { at } = await importOne(world)
      await world.work()
      const [event] = await world.publish()
      const [received] = await world.receiver.received(at)
      for (const secret of [SECRET, OLD_SECRET])
        expect(await verify({ ...received!, secret })).toMatchObject({ payload: { id: event } })
      const ref = { accountId: 'acc', id: ID }
      expect(await world.callboard.subscriptions.startBackfill({ ...ref, since: new Date(0) })).toMatchObject({
        state: 'running',
      })
      expect(idsOf(await world.receiver.received(at, 2))).toEqual([event, earlier])
    })

    it('is never held for want of a key, and its explicit personalData counts until a key confirms it', async ({
      world,
    }) => {
      const { item, at } = await importOne(world, { personalData: true })
      await world.work()
      await world.publish()
      const scopes: readonly Scope[] = ['webhooks.read', 'webhooks.write']
      const call = await apiOf(world, scopes)
      const bodies = async (count: number) =>
        (await world.receiver.received(at, count)).map(({ body }) => body.toString())
      expect((await bodies(1))[0]).toContain('ada@example.com')
      expect(await call('GET', `/${ID}`)).toMatchObject({ body: { id: ID, personalData: true, state: 'active' } })

      const { targetUrl, eventTypes, integration } = item
      const again = await call('POST', '', { targetUrl, eventTypes, integration })
      expect(again).toMatchObject({ status: 200, body: { id: ID, created: false, secret: SECRET } })
      await world.publish()
      expect((await bodies(2))[1]).not.toContain('ada@example.com')
      expect(await call('GET', `/${ID}`)).toMatchObject({ body: { personalData: false } })

      const withScope = await apiOf(world, [...scopes, 'people.read'])
      expect(await withScope('POST', '', { targetUrl, eventTypes, integration })).toMatchObject({ body: { id: ID } })
      await world.publish()
      expect((await bodies(3))[2]).toContain('ada@example.com')
      const { confirmedBy } = (await world.callboard.subscriptions.find({ accountId: 'acc', id: ID }))!
      await world.callboard.keys.revoke({ accountId: 'acc', id: confirmedBy! })
      expect(await call('GET', `/${ID}`)).toMatchObject({ body: { state: 'disabled', disabled: { reason: 'key' } } })
    })

    it('is known by its own id to every call of the API', async ({ world }) => {
      const { at } = await importOne(world)
      const call = await apiOf(world, ['webhooks.read', 'webhooks.write'])
      await world.work()
      const [event] = await world.publish()
      await world.recorded({ accountId: 'acc', mode: 'live', id: ID }, 1)

      const { body: list } = await call('GET', '?limit=1')
      expect(list).toMatchObject({ data: [{ id: ID, createdAt: expect.any(String) }], nextCursor: null })
      await world.subscribe('/other')
      const { body: first } = await call('GET', '?limit=1')
      expect(await call('GET', `?limit=1&cursor=${first.nextCursor}`)).toMatchObject({ body: { data: [{ id: ID }] } })
      const { body: found } = await call('GET', `/${ID}`)
      expect(found).toMatchObject({ id: ID, health: { delivered: 1 } })

      expect(await call('GET', `/${ID}/deliveries`)).toMatchObject({ body: { data: [{ eventId: event }] } })
      const attempts = `/${ID}/deliveries/${event}/attempts`
      expect(await call('GET', attempts)).toMatchObject({ body: { data: [{ outcome: 'delivered' }] } })
      expect(await call('POST', `/${ID}/deliveries/${event}/resend`)).toMatchObject({ status: 202 })
      const since = new Date(Date.now() - 60_000).toISOString()
      expect(await call('POST', `/${ID}/resend`, { since })).toMatchObject({ status: 202 })
      expect(await call('POST', `/${ID}/test`, { type: 'order.paid' })).toMatchObject({ status: 200 })
      expect(await call('POST', `/${ID}/backfill`, { since })).toMatchObject({ body: { since } })
      expect(await call('GET', `/${ID}/backfill`)).toMatchObject({ body: { since } })
      expect(await call('DELETE', `/${ID}/backfill`)).toMatchObject({ body: { since } })

      const rotate = { secretVersion: found.secretVersion, overlapSeconds: 60 }
      const { body: rotated } = await call('POST', `/${ID}/rotate-secret`, rotate)
      expect(rotated.secret).toMatch(/^whsec_/)
      expect(await call('POST', `/${ID}/rotate-secret`, rotate)).toMatchObject({ body: { secret: rotated.secret } })
      const externalRef = 'moved'
      expect(await call('PATCH', `/${ID}`, { externalRef })).toMatchObject({
        status: 200,
        body: { id: ID, externalRef },
      })
      const twin = await call('POST', '', {
        targetUrl: world.receiver.url(at),
        eventTypes: ['order.paid'],
        integration: 'zapier',
      })
      expect(twin).toMatchObject({ status: 201 })
      expect(await call('PATCH', `/${twin.body.id}`, { externalRef })).toMatchObject({
        status: 409,
        body: { errorCode: 'SUBSCRIPTION_EXISTS', subscriptionId: ID },
      })
      expect(await call('DELETE', `/${ID}`)).toEqual({ status: 204 })
      expect(await call('DELETE', `/${ID}`)).toEqual({ status: 204 })
      expect(await call('GET', `/${ID}`)).toMatchObject({ status: 404 })
    })

    it('is named by its own id to the platform when it is disabled', async ({ world }) => {
      const { at } = await importOne(world)
      world.receiver.answer(at, { status: 410 })
      await world.work()
      await world.publish()
      await world.recorded({ accountId: 'acc', mode: 'live', id: ID }, 1)
      expect(world.disabled).toMatchObject([{ id: ID, reason: 'gone' }])
    })
  },
})
