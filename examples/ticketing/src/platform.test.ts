import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeDemoAccess } from './demo-file.ts'
import { createTicketingPlatform, type TicketingPlatform, type TicketingPlatformOptions } from './platform.ts'
import { StartError } from './start-error.ts'

let postgres: TestPostgres
let dataDir: string
let options: TicketingPlatformOptions
let platform: TicketingPlatform

beforeAll(async () => {
  postgres = await startPostgres()
  dataDir = await mkdtemp(join(tmpdir(), 'callboard-platform-'))
  options = {
    dataDir,
    databaseUrl: await postgres.createDatabase(),
    adminToken: 'open-sesame',
    simulate: false,
    simulateDay: false,
    allowLoopbackTargets: false,
    publicUrl: 'https://tickets.example.com',
    retrySchedule: undefined,
    dashboardLanguage: 'en',
    extraCaCertificates: [],
    log: () => undefined,
  }
  platform = await createTicketingPlatform(options)
})

afterAll(async () => {
  await platform?.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** An entry of `data`: an event or an event type. */
interface Listed {
  type: string
  sample: { attendee: object }
}

/** Every field that these tests read from a body. Each body has only some of these fields. */
interface Body {
  id: string
  key: string
  message: string
  requestId: string
  issues: { path: string; message: string }[]
  data: Listed[]
  event: { id: string }
  orderId: string
  attendeeId: string
  attendeeIds: string[]
}

interface Answer {
  status: number
  headers: Headers
  body: Body
}

async function call(method: string, path: string, body?: unknown, token = 'open-sesame'): Promise<Answer> {
  const response = await platform.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

const ZODS_WORDS = /Invalid|Too (?:small|big)|Unrecognized|expected/

const newest = async (query = ''): Promise<Listed | undefined> =>
  (await call('GET', `/v1/events?limit=1${query}`, undefined, platform.demoKey.key)).body.data[0]

describe('access to /demo', () => {
  it.each(['', 'open-sesam', 'open-sesame2', 'x'])(
    'refuses the token "%s" with 401 before it checks anything else',
    async (token) => {
      const { status, body, headers } = await call('POST', '/demo/events', 'not even JSON', token)
      expect(status).toBe(401)
      expect(body).toMatchObject({ statusCode: 401, errorCode: 'UNAUTHENTICATED', path: '/demo/events' })
      expect(headers.get('x-request-id')).toBe(body.requestId)
      expect(JSON.stringify(body)).not.toContain('sesame')
    },
  )

  it('does not accept an API key as the admin token', async () => {
    expect((await call('POST', '/demo/orders', {}, platform.demoKey.key)).status).toBe(401)
  })

  it('answers 404 for an unknown path and 405 for a wrong method', async () => {
    expect((await call('POST', '/demo/order')).status).toBe(404)
    const wrong = await call('GET', '/demo/keys/key_1')
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('DELETE')
  })

  it.each([
    ['{', 400, ''],
    ['[]', 400, ''],
    ['null', 400, ''],
    [JSON.stringify({ eventName: 'x'.repeat(70_000) }), 413, undefined],
  ])('refuses the body %.10s with %i', async (body, status, path) => {
    const answer = await call('POST', '/demo/orders', body)
    expect(answer.status).toBe(status)
    expect(answer.body.issues?.[0]?.path).toBe(path)
  })

  it('answers 415 if the content type is not JSON', async () => {
    const request = new Request('http://localhost/demo/orders', {
      method: 'POST',
      headers: { authorization: 'Bearer open-sesame', 'content-type': 'application/x-www-form-urlencoded' },
      body: '{}',
    })
    expect((await platform.fetch(request)).status).toBe(415)
  })
})

describe('POST /demo/orders', () => {
  it('sells tickets for an empty body and for a complete body', async () => {
    expect((await call('POST', '/demo/orders')).status).toBe(201)
    const sold = await call('POST', '/demo/orders', {
      eventName: 'Jazz Night',
      buyer: { name: 'Bo', email: 'bo@example.com' },
      lines: [{ ticket_type_id: 'tic_a', name: 'A', quantity: 2, unit_price: { amount: 100, currency: 'SEK' } }],
    })
    expect(sold.status).toBe(201)
    expect(await newest()).toMatchObject({ id: sold.body.event.id, type: 'order.paid', livemode: true })
  })

  it.each([
    [{ eventName: '' }, 'eventName'],
    [{ eventName: 'a\u0000b' }, 'eventName'],
    [{ eventName: '\ud800' }, 'eventName'],
    [{ buyer: { email: 'nobody' } }, 'buyer.email'],
    [{ lines: [] }, 'lines'],
    [{ lines: [{ quantity: 0 }] }, 'lines.0.quantity'],
    [{ lines: [{ quantity: 1.5 }] }, 'lines.0.quantity'],
    [{ lines: [{ unit_price: { amount: -1, currency: 'EUR' } }] }, 'lines.0.unit_price.amount'],
    [{ lines: [{ unit_price: { amount: 1, currency: 'eur' } }] }, 'lines.0.unit_price.currency'],
    [{ lines: [{ unit_price: { amount: 1, currency: 'SEK' } }, {}] }, 'lines'],
  ])('refuses %j, naming %s', async (body, path) => {
    const { status, body: problem } = await call('POST', '/demo/orders', body)
    expect(status).toBe(400)
    expect(problem).toMatchObject({ errorCode: 'VALIDATION_FAILED', issues: [{ path }] })
    expect(problem.message).toContain(path)
    expect(problem.message.length).toBeLessThanOrEqual(200)
    expect(problem.message).not.toMatch(ZODS_WORDS)
  })

  it('names an unknown field when it refuses the body', async () => {
    const { status, body } = await call('POST', '/demo/orders', { event_name: 'Jazz Night' })
    expect(status).toBe(400)
    expect(body.message).toContain('event_name')
  })
})

describe('POST /demo/check-ins', () => {
  it('checks in each attendee of an order at most once', async () => {
    const { orderId, attendeeIds } = (await call('POST', '/demo/orders')).body
    const { status, body } = await call('POST', '/demo/check-ins', { orderId })
    expect([status, body.attendeeId]).toEqual([201, attendeeIds[0]])
    expect(await newest()).toMatchObject({ id: body.event.id, type: 'attendee.checked_in' })
    expect(await call('POST', '/demo/check-ins', { attendeeId: body.attendeeId })).toMatchObject({
      status: 404,
      body: { errorCode: 'NOT_FOUND' },
    })
  })
})

describe('POST /demo/events', () => {
  it('publishes the sample of any type if no data is given', async () => {
    const types = (await call('GET', '/v1/event-types', undefined, platform.demoKey.key)).body.data
    for (const { type, sample } of types) {
      const { status, body } = await call('POST', '/demo/events', { type })
      expect(status).toBe(201)
      expect(await newest(`&type=${type}`)).toMatchObject({ id: body.id, type, data: sample })
    }
  })

  it('accepts data, time, subject, mode and account', async () => {
    const { key } = (
      await call('POST', '/demo/keys', { scopes: ['webhooks.read', 'people.read'], mode: 'test', accountId: 'acct_b' })
    ).body
    const types = (await call('GET', '/v1/event-types', undefined, platform.demoKey.key)).body.data
    const attendee = types.find(({ type }) => type === 'attendee.checked_in')?.sample.attendee
    const data = { attendee: { ...attendee, gate: 'North' } }
    const { status, body } = await call('POST', '/demo/events', {
      type: 'attendee.checked_in',
      data,
      occurredAt: '2026-10-01T12:00:00+02:00',
      subject: { type: 'gate', id: 'north', sequence: 41 },
      livemode: false,
      accountId: 'acct_b',
    })
    expect(status).toBe(201)
    expect((await call('GET', '/v1/events', undefined, key)).body.data).toMatchObject([
      {
        id: body.id,
        occurred_at: '2026-10-01T10:00:00.000Z',
        account: { id: 'acct_b' },
        subject: { type: 'gate', id: 'north', sequence: 41 },
        livemode: false,
        data,
      },
    ])
  })

  it.each([
    [{}, 'type'],
    [{ type: 'order.lost' }, 'type'],
    [{ type: 'order.paid', data: [] }, 'data'],
    [{ type: 'order.paid', data: {} }, 'data.order'],
    [{ type: 'order.paid', data: { order: { id: 'ord_1' } } }, 'data.order.status'],
    [{ type: 'order.paid', occurredAt: 'yesterday' }, 'occurredAt'],
    [{ type: 'order.paid', occurredAt: '2999-01-01T00:00:00Z' }, 'occurredAt'],
    [{ type: 'order.paid', subject: { type: 'order' } }, 'subject.id'],
    [{ type: 'order.paid', subject: { type: 'order', id: 'a', sequence: -1 } }, 'subject.sequence'],
    [{ type: 'order.paid', livemode: 'yes' }, 'livemode'],
    [{ type: 'order.paid', accountId: 'acct_nobody' }, 'accountId'],
  ])('refuses %j, naming %s', async (body, path) => {
    const { status, body: problem } = await call('POST', '/demo/events', body)
    expect(status).toBe(400)
    expect(problem.issues[0]?.path).toBe(path)
    expect(problem.message).toContain(path)
    expect(problem.message.length).toBeLessThanOrEqual(200)
    expect(problem.message).not.toMatch(ZODS_WORDS)
  })
})

describe('the refusal of a body', () => {
  it.each([
    ['/demo/keys', {}, 'scopes: must be a list of scopes: [], or some of webhooks.read, webhooks.write, people.read'],
    ['/demo/orders', { lines: [] }, 'lines: must be a list of 1 to 10 lines; leave it out for a standard ticket'],
    ['/demo/orders', { eventName: '' }, 'eventName: must be text of 1 to 255 characters'],
    ['/demo/orders', [], 'The body must be an object'],
    ['/demo/orders', '{', 'The body is not valid JSON'],
    ['/demo/orders', { nmae: 1 }, 'The body has the unknown field nmae; remove it or check its spelling'],
    ['/demo/events', { type: 'order.paid', data: {} }, 'data.order: is missing; it must be an object'],
  ])('at %s says what to do: %j', async (path, body, message) => {
    expect((await call('POST', path, body)).body.message).toBe(message)
  })

  it('names the path of every invalid value in data, but not the value', async () => {
    const order = { id: 'x'.repeat(256), status: 'hunter2', buyer: { entity_id: 'per_1', email: 'hunter2' } }
    const { status, body } = await call('POST', '/demo/events', { type: 'order.paid', data: { order } })
    expect(status).toBe(400)
    expect(body.message).toMatch(/^data\.order\.id: must be text of .+ \(also data\.order\.status, /)
    expect(body.issues).toContainEqual({ path: 'data.order.buyer.email', message: 'must be an email address' })
    expect(JSON.stringify(body)).not.toContain('hunter2')
    expect(JSON.stringify(body)).not.toMatch(ZODS_WORDS)
  })
})

describe('/demo/keys', () => {
  const me = (key: string) => call('GET', '/v1/me', undefined, key)

  it('issues a key for the demo account or for a new account', async () => {
    const { status, body } = await call('POST', '/demo/keys', { scopes: [] })
    expect([status, Object.keys(body)]).toEqual([201, ['id', 'key']])
    expect((await me(body.key)).body).toMatchObject({ entity: { id: 'acct_demo' }, apiKeyId: body.id, scopes: [] })

    const other = await call('POST', '/demo/keys', { scopes: ['webhooks.read'], accountId: 'acct_c', accountName: 'C' })
    expect((await me(other.body.key)).body).toMatchObject({ entity: { id: 'acct_c', name: 'C' } })
  })

  it('issues a key that has already expired if expiresAt is in the past', async () => {
    const { status, body } = await call('POST', '/demo/keys', { scopes: [], expiresAt: '2020-01-01T00:00:00Z' })
    expect(status).toBe(201)
    expect((await me(body.key)).status).toBe(401)
  })

  it('issues a key that expires at the given time', async () => {
    const keyFor = async (ms: number) => {
      const expiresAt = new Date(Date.now() + ms).toISOString()
      return (await call('POST', '/demo/keys', { scopes: [], expiresAt })).body.key
    }
    const [long, short] = [await keyFor(3_600_000), await keyFor(1_000)]
    await expect.poll(async () => (await me(short)).status, { timeout: 15_000 }).toBe(401)
    expect((await me(long)).status).toBe(200)
  })

  it('rotates a key, and keeps the old key valid by default', async () => {
    const first = (await call('POST', '/demo/keys', { scopes: ['webhooks.read'], accountId: 'acct_d' })).body
    const second = await call('POST', `/demo/keys/${first.id}/rotate`)
    expect(second.status).toBe(201)
    expect([(await me(first.key)).status, (await me(second.body.key)).status]).toEqual([200, 200])
    expect((await call('POST', `/demo/keys/${first.id}/rotate`)).status).toBe(404)

    const third = (await call('POST', `/demo/keys/${second.body.id}/rotate`, { overlapMs: 0 })).body
    expect([(await me(second.body.key)).status, (await me(third.key)).status]).toEqual([401, 200])
  })

  it('revokes a key at once', async () => {
    const { id, key } = (await call('POST', '/demo/keys', { scopes: [], accountId: 'acct_e' })).body
    expect(await call('DELETE', `/demo/keys/${id}`)).toMatchObject({ status: 204, body: undefined })
    expect((await me(key)).status).toBe(401)
    expect((await call('POST', `/demo/keys/${id}/rotate`)).status).toBe(404)
  })

  it.each(['key_nobody', 'a%00b', '%ff'])('answers 404 for the key %s', async (id) => {
    expect((await call('DELETE', `/demo/keys/${id}`)).status).toBe(404)
    expect((await call('POST', `/demo/keys/${id}/rotate`)).status).toBe(404)
  })

  it.each([
    [{}, 'scopes'],
    [{ scopes: 'webhooks.read' }, 'scopes'],
    [{ scopes: ['webhooks.read', 'all'] }, 'scopes.1'],
    [{ scopes: [], mode: 'prod' }, 'mode'],
    [{ scopes: [], expiresAt: 'soon' }, 'expiresAt'],
    [{ scopes: [], accountId: '' }, 'accountId'],
    [{ scopes: [], accountName: 'a\u0007' }, 'accountName'],
  ])('refuses %j, naming %s', async (body, path) => {
    const { status, body: problem } = await call('POST', '/demo/keys', body)
    expect([status, problem.issues[0]?.path]).toEqual([400, path])
    expect(problem.message).toContain(path)
    expect(problem.message).not.toMatch(ZODS_WORDS)
  })
})

describe('the platform', () => {
  it('reports that it is healthy', async () => {
    const { status, body } = await call('GET', '/health')
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: true, callboard: { ok: true }, worker: { state: 'running' } })
  })

  it('refuses loopback targets unless they are allowed', async () => {
    const body = { targetUrl: 'https://localhost:8788/hook', eventTypes: ['order.paid'], integration: 'other' }
    const answer = await call('POST', '/v1/webhooks/subscriptions', body, platform.demoKey.key)
    expect([answer.status, answer.body.issues[0]?.path]).toEqual([400, 'targetUrl'])
  })

  it('refuses its own public address as a target', async () => {
    const body = { targetUrl: 'https://tickets.example.com/v1', eventTypes: ['order.paid'], integration: 'other' }
    const answer = await call('POST', '/v1/webhooks/subscriptions', body, platform.demoKey.key)
    expect([answer.status, answer.body.issues[0]?.path]).toEqual([400, 'targetUrl'])
  })

  it('lets the API answer requests for paths that the platform does not have', async () => {
    expect((await call('GET', '/nowhere')).body).toMatchObject({ statusCode: 404, errorCode: 'NOT_FOUND' })
  })

  it('finds its key at the next start, on a database that several processes share', async () => {
    expect(platform.demoKey.isNew).toBe(true)
    await writeDemoAccess(dataDir, { url: 'http://localhost', keyId: platform.demoKey.id, key: platform.demoKey.key })
    const [second, third] = await Promise.all([createTicketingPlatform(options), createTicketingPlatform(options)])
    await Promise.all([second.close(), third.close()])
    expect(second.demoKey).toEqual({ ...platform.demoKey, isNew: false })
    expect(third.demoKey).toEqual(second.demoKey)
    expect(second.orders).toBeGreaterThan(0)
  })

  it('refuses to start if its key ring opens no secret in the database, and names DATA_DIR', async () => {
    const databaseUrl = await postgres.createDatabase()
    const own = { ...options, databaseUrl, allowLoopbackTargets: true }
    const first = await createTicketingPlatform(own)
    const request = new Request('http://localhost/v1/webhooks/subscriptions', {
      method: 'POST',
      headers: { authorization: `Bearer ${first.demoKey.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ targetUrl: 'https://localhost:1/', eventTypes: ['order.paid'], integration: 'other' }),
    })
    expect((await first.fetch(request)).status).toBe(201)
    await first.close()

    const another = join(dataDir, 'another')
    const second = createTicketingPlatform({ ...own, dataDir: another })
    await expect(second).rejects.toThrow(StartError)
    await expect(second).rejects.toThrow(`The key ring in DATA_DIR (${another}) opens none of the secrets`)
    await (await createTicketingPlatform(own)).close()
  })

  it('stores its secrets in files that other users of the machine cannot read', async () => {
    for (const name of ['secret-keys.json', 'receiver-certificate.pem', 'demo.json'])
      expect((await stat(join(dataDir, name))).mode & 0o077).toBe(0)
  })
})

describe('a simulated day', () => {
  it('is there at the start, with its events and deliveries, up to the present', async () => {
    const databaseUrl = await postgres.createDatabase()
    const day = await createTicketingPlatform({
      ...options,
      databaseUrl,
      simulate: true,
      simulateDay: true,
      allowLoopbackTargets: true,
    })
    const get = async (path: string): Promise<Response> =>
      day.fetch(new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${day.demoKey.key}` } }))
    const { data } = (await (await get('/v1/events?limit=1')).json()) as { data: { occurred_at: string }[] }
    expect(Date.now() - Date.parse(data[0]?.occurred_at ?? '')).toBeLessThan(30 * 60_000)
    const overview = (await (await get('/dashboard/overview')).text()).replace(/<[^>]+>/g, ' ')
    const [, delivered] = /Delivered\s+(\d+)/.exec(overview) ?? []
    expect(Number(delivered)).toBeGreaterThan(150)
    await day.close()
  })
})
