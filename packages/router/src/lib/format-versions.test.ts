import { defineCatalog, definePreviousType } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { attendeeCheckedIn, createPlatform, orderPaid, type Platform, problemIn } from '../../test/platform.ts'
import { createRouter } from './router.ts'

const CURRENT = '2026-10-01'
const APRIL = '2026-04-01'
const JANUARY = '2026-01-01'
const LINK = 'https://example.com/changes'

const aprilPaid = definePreviousType(orderPaid, {
  schema: z.object({ id: z.string(), customer: z.string().optional() }),
  sample: { id: 'ord_1', customer: 'ada@example.com' },
  personalDataPaths: ['customer'],
  down: ({ order: { id, buyer } }) => ({ id, ...(buyer.email === undefined ? {} : { customer: buyer.email }) }),
})

const catalog = defineCatalog({
  version: CURRENT,
  types: [orderPaid, attendeeCheckedIn],
  previous: [
    {
      version: APRIL,
      types: [aprilPaid],
      without: ['attendee.checked_in'],
      deprecated: '2026-10-01',
      sunset: '2027-10-01',
      link: LINK,
    },
    { version: JANUARY, deprecated: '2026-04-01', sunset: '2026-11-20', enforceSunset: true },
  ],
})

/** A platform with three versions, a key that is pinned to the current one, and an order. */
async function open() {
  const platform = await createPlatform({ catalog })
  const { token, id } = await platform.issue()
  await platform.publishOrder('ord_7')
  return { ...platform, token, keyId: id }
}

const inVersion = (version: string) => ({ 'callboard-version': version })
const INPUT = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'], integration: 'other' }
const SUBSCRIPTIONS = '/v1/webhooks/subscriptions'

async function subscribe({ ask }: Pick<Platform, 'ask'>, token: string, more: object = {}, version?: string) {
  const headers = version === undefined ? {} : inVersion(version)
  const response = await ask(SUBSCRIPTIONS, { method: 'POST', token, headers, json: { ...INPUT, ...more } })
  return { status: response.status, body: await response.json() }
}

describe('the format version of a request', () => {
  it('is that of the key, and changes when the key is pinned to another version', async () => {
    const { ask, callboard, token, keyId } = await open()
    expect((await ask('/v1/me', { token })).headers.get('callboard-version')).toBe(CURRENT)
    await callboard.keys.setApiVersion({ accountId: 'acc_1', id: keyId, apiVersion: APRIL })
    const response = await ask('/v1/events', { token })
    expect(response.headers.get('callboard-version')).toBe(APRIL)
    expect((await response.json()).data).toMatchObject([
      { version: APRIL, data: { id: 'ord_7', customer: 'grace@example.com' } },
    ])
  })

  it('is the one in Callboard-Version, for events and event types', async () => {
    const { ask, token } = await open()
    const events = await ask('/v1/events', { token, headers: inVersion(APRIL) })
    expect((await events.json()).data).toMatchObject([{ version: APRIL, data: { id: 'ord_7' } }])
    const types = await ask('/v1/event-types', { token, headers: inVersion(APRIL) })
    expect(types.headers.get('callboard-version')).toBe(APRIL)
    expect(await types.json()).toEqual({
      apiVersion: APRIL,
      data: [
        {
          type: 'order.paid',
          family: 'orders',
          descriptionKey: 'events.order_paid',
          sample: { id: 'ord_1', customer: 'ada@example.com' },
          personalDataPaths: ['customer'],
        },
      ],
    })
    expect(await (await ask('/v1/event-types', { token })).json()).toMatchObject({ apiVersion: CURRENT })
  })

  it('does not change which personal data the key may see', async () => {
    const { ask, issue } = await open()
    const { token } = await issue(['webhooks.read'])
    const response = await ask('/v1/events', { token, headers: inVersion(APRIL) })
    expect((await response.json()).data).toMatchObject([{ version: APRIL, data: { id: 'ord_7' } }])
    expect(JSON.stringify(await (await ask('/v1/events', { token, headers: inVersion(APRIL) })).json())).not.toMatch(
      /grace/i,
    )
  })

  it('can differ from the version of the previous page', async () => {
    const { ask, publishOrder, token } = await open()
    await publishOrder('ord_8')
    const { nextCursor } = await (await ask('/v1/events?limit=1', { token })).json()
    const next = await ask(`/v1/events?limit=1&cursor=${nextCursor}`, { token, headers: inVersion(APRIL) })
    expect((await next.json()).data).toMatchObject([{ version: APRIL, data: { id: 'ord_7' } }])
  })

  it.each([['2025-01-01'], [''], ['latest'], [JANUARY]])(
    'cannot be %j, and the error lists the versions',
    async (version) => {
      const { ask, token } = await open()
      const response = await ask('/v1/me', { token, headers: inVersion(version) })
      expect(response.status).toBe(400)
      expect(response.headers.get('callboard-version')).toBe(CURRENT)
      const message = `Unknown Callboard-Version. The versions are ${CURRENT}, ${APRIL}.`
      expect(await problemIn(response)).toMatchObject({ message, issues: [{ path: 'Callboard-Version', message }] })
    },
  )

  it('is checked after the key and its scope', async () => {
    const { ask, issue } = await open()
    const { token } = await issue([])
    const headers = inVersion('2025-01-01')
    expect((await ask('/v1/events', { headers })).status).toBe(401)
    expect((await ask('/v1/events', { token, headers })).status).toBe(403)
  })

  it('is the next newer one if the key is pinned to a version that has ended', async () => {
    const { ask, callboard, clock, token, keyId } = await open()
    clock.now = Date.UTC(2026, 10, 19, 23, 59, 59)
    await callboard.keys.setApiVersion({ accountId: 'acc_1', id: keyId, apiVersion: JANUARY })
    expect((await ask('/v1/me', { token })).headers.get('callboard-version')).toBe(JANUARY)
    clock.now = Date.UTC(2026, 10, 20)
    expect((await ask('/v1/me', { token })).headers.get('callboard-version')).toBe(APRIL)
  })
})

describe('the response headers', () => {
  it('announce the deprecation and the sunset of a version (RFC 9745, RFC 8594)', async () => {
    const { ask, token } = await open()
    const { headers } = await ask('/v1/me', { token, headers: inVersion(APRIL) })
    expect(Object.fromEntries(headers)).toMatchObject({
      'callboard-version': APRIL,
      deprecation: `@${Date.UTC(2026, 9, 1) / 1000}`,
      sunset: 'Fri, 01 Oct 2027 00:00:00 GMT',
      link: `<${LINK}>; rel="deprecation"; type="text/html", <${LINK}>; rel="sunset"; type="text/html"`,
    })
  })

  it('announce no deprecation or sunset of the current version, and no version if the key is invalid', async () => {
    const { ask, token } = await open()
    const { headers } = await ask('/v1/me', { token })
    expect(['deprecation', 'sunset', 'link'].map((name) => headers.get(name))).toEqual([null, null, null])
    expect((await ask('/v1/me', { token: 'x' })).headers.get('callboard-version')).toBeNull()
  })
})

describe('a new subscription', () => {
  it('is pinned to the version of the request, unless its body names another version', async () => {
    const platform = await open()
    const { token } = platform
    const versionOf = async (more: object, version?: string) =>
      (await subscribe(platform, token, more, version)).body.apiVersion
    expect(await versionOf({ externalRef: 'a' })).toBe(CURRENT)
    expect(await versionOf({ externalRef: 'b' }, APRIL)).toBe(APRIL)
    expect(await versionOf({ externalRef: 'c', apiVersion: CURRENT }, APRIL)).toBe(CURRENT)
    expect(await versionOf({ externalRef: 'd', apiVersion: null }, APRIL)).toBe(APRIL)
  })

  it('keeps its version when the creation is repeated with another version', async () => {
    const platform = await open()
    const first = await subscribe(platform, platform.token, {}, APRIL)
    const again = await subscribe(platform, platform.token, { apiVersion: CURRENT })
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body).toMatchObject({ id: first.body.id, created: false, apiVersion: APRIL })
  })

  it.each<[string, object, RegExp]>([
    ['an unknown version', { apiVersion: '2025-01-01' }, /Unknown apiVersion. The versions are/],
    ['a version that is not a string', { apiVersion: 1 }, /apiVersion must be a string/],
    [
      'an event type that its version lacks',
      { apiVersion: APRIL, eventTypes: ['attendee.checked_in'] },
      /Unknown event type/,
    ],
  ])('is refused for %s', async (_, more, message) => {
    const platform = await open()
    const { status, body } = await subscribe(platform, platform.token, more)
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)])
  })
})

describe('PATCH /v1/webhooks/subscriptions/:id', () => {
  const patch = ({ ask }: Platform, token: string, id: string, json: unknown = { apiVersion: APRIL }) =>
    ask(`${SUBSCRIPTIONS}/${id}`, { method: 'PATCH', token, json })

  it('pins the subscription to the new version, and returns no secret', async () => {
    const platform = await open()
    const { body } = await subscribe(platform, platform.token, { externalRef: 'a' })
    const response = await patch(platform, platform.token, body.id)
    const { secret: _, created: __, ...shown } = body
    expect(response.status).toBe(200)
    const changed = await response.json()
    expect(changed).toMatchObject({ ...shown, apiVersion: APRIL })
    expect(changed).not.toHaveProperty('secret')
    expect((await subscribe(platform, platform.token, { externalRef: 'a' })).body.apiVersion).toBe(APRIL)
  })

  it('makes the key of the request the confirming key', async () => {
    const platform = await open()
    const { body } = await subscribe(platform, platform.token)
    const other = await platform.issue(['webhooks.write'])
    await patch(platform, other.token, body.id)
    const ref = { accountId: 'acc_1', mode: 'live', id: body.id } as const
    expect(await platform.callboard.subscriptions.find(ref)).toMatchObject({ confirmedBy: other.id })
  })

  it('answers 404 if the subscription is from the dashboard, of the other mode, unknown or removed', async () => {
    const platform = await open()
    const { callboard, issue, token } = platform
    const own = await callboard.subscriptions.create({ accountId: 'acc_1', ...INPUT })
    const { body } = await subscribe(platform, (await issue(undefined, 'test')).token)
    const removed = (await subscribe(platform, token)).body.id
    await platform.ask(`${SUBSCRIPTIONS}/${removed}`, { method: 'DELETE', token })
    for (const id of [own.id, body.id, 'sub_1', removed]) expect((await patch(platform, token, id)).status).toBe(404)
  })

  it.each<[string, unknown, RegExp]>([
    ['an unknown version', { apiVersion: '2025-01-01' }, /Unknown apiVersion/],
    ['no field', {}, /at least one field/],
    ['a body that is not an object', [], /must be a JSON object/],
  ])('refuses %s', async (_, json, message) => {
    const platform = await open()
    const { body } = await subscribe(platform, platform.token)
    const response = await patch(platform, platform.token, body.id, json)
    expect([response.status, (await problemIn(response)).message]).toEqual([400, expect.stringMatching(message)])
  })

  it('refuses a version that does not have one of the event types yet', async () => {
    const platform = await open()
    const eventTypes = ['order.paid', 'attendee.checked_in']
    const { body } = await subscribe(platform, platform.token, { eventTypes })
    const response = await patch(platform, platform.token, body.id)
    expect(response.status).toBe(400)
    const message = `Version ${APRIL} has no attendee.checked_in, which the subscription includes.`
    expect(await problemIn(response)).toMatchObject({ issues: [{ path: 'apiVersion', message }] })
  })

  it('needs the scope webhooks.write', async () => {
    const platform = await open()
    const { token } = await platform.issue(['webhooks.read'])
    expect((await patch(platform, token, 'sub_1')).status).toBe(403)
  })
})

describe('GET /openapi.json?version=', () => {
  it('returns a document with the event types of that version, and with examples in that version', async () => {
    const { ask } = await open()
    const document = await (await ask(`/openapi.json?version=${APRIL}`)).json()
    expect(Object.keys(document.webhooks)).toEqual(['order.paid'])
    expect(document.components.schemas.OrderPaidEvent.properties.data.properties).toEqual({
      id: { type: 'string' },
      customer: { type: 'string' },
    })
    const { redacted, full } = document.webhooks['order.paid'].post.requestBody.content['application/json'].examples
    expect(redacted.value).toMatchObject({ version: APRIL, data: { id: 'ord_1' } })
    expect(redacted.value.data).not.toHaveProperty('customer')
    expect(full.value.data).toHaveProperty('customer', 'ada@example.com')
    const current = await (await ask('/openapi.json')).json()
    expect(Object.keys(current.webhooks)).toEqual(['order.paid', 'attendee.checked_in'])
  })

  it('returns the same document as router.openapi(version), with an ETag that differs between versions', async () => {
    const { ask, callboard } = await open()
    const router = createRouter(callboard)
    const response = await ask(`/openapi.json?version=${APRIL}`)
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(await router.openapi(APRIL))))
    const etag = response.headers.get('etag')
    expect((await ask('/openapi.json')).headers.get('etag')).not.toBe(etag)
    const again = await ask(`/openapi.json?version=${APRIL}`, { headers: { 'if-none-match': String(etag) } })
    expect(again.status).toBe(304)
    await expect(router.openapi('2025-01-01')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  })

  it.each(['2025-01-01', '', JANUARY])('answers 400 to %j, with the list of versions', async (version) => {
    const { ask } = await open()
    const response = await ask(`/openapi.json?version=${version}`)
    expect(response.status).toBe(400)
    const message = `Unknown version. The versions are ${CURRENT}, ${APRIL}.`
    expect(await problemIn(response)).toMatchObject({ issues: [{ path: 'version', message }] })
  })
})
