import { isId } from '@callboard/core/store'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../test/platform.ts'
import { createRouter } from './router.ts'
import { routes } from './routes.ts'

const concrete = (path: string): string =>
  path.replace(':id', 'sub_01hzzzzzzzzzzzzzzzzzzzzzzz').replace(':eventId', 'evt_01hzzzzzzzzzzzzzzzzzzzzzzz')

describe('every response', () => {
  it('has a fresh x-request-id and cache-control: no-store, whatever the outcome', async () => {
    const { ask, issue } = await createPlatform()
    const { token } = await issue()
    const seen = new Set<string>()
    const responses = [
      await ask('/v1/me', { token }),
      await ask('/v1/me', { token, method: 'HEAD' }),
      await ask('/v1/me', { method: 'OPTIONS' }),
      await ask('/v1/me', { method: 'POST' }),
      await ask('/v1/me'),
      await ask('/nowhere'),
      await ask('/v1/events?limit=0', { token }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 204, 405, 401, 404, 400])
    for (const { headers } of responses) {
      const id = headers.get('x-request-id') ?? ''
      expect(isId('req', id)).toBe(true)
      seen.add(id)
      expect(headers.get('cache-control')).toBe('no-store')
    }
    expect(seen.size).toBe(responses.length)
  })

  it('does not reuse an x-request-id from the request', async () => {
    const { ask } = await createPlatform()
    const response = await ask('/v1/me', { headers: { 'x-request-id': 'mine' } })
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  })

  it('an error has the requested path, with its escapes but without its query', async () => {
    const { ask } = await createPlatform()
    const { path } = await problemIn(
      await ask('/v1/webhooks/subscriptions/sub%5f1?token=abc#part?x', { method: 'DELETE' }),
    )
    expect(path).toBe('/v1/webhooks/subscriptions/sub%5f1')
  })

  it('an error has a timestamp to the millisecond (section 7 of the /v1 contract)', async () => {
    const { ask, clock } = await createPlatform()
    clock.now = Date.UTC(2026, 10, 20, 12, 34, 56, 7)
    const { timestamp } = await problemIn(await ask('/nowhere'))
    expect(timestamp).toBe('2026-11-20T12:34:56.007Z')
  })
})

describe('the router', () => {
  it.each([
    '/',
    '/v1',
    '/v2/me',
    '/V1/me',
    '/v1/mine',
    '//v1/me',
    '/v1//me',
    '/v1/me/',
    '/v1/me//',
    '/v1/events/',
    '/v1/webhooks/subscriptions/',
    '/v1/webhooks/subscriptions/a/b',
    '/api/v1/me',
  ])('answers 404 to the unknown path %s without a key', async (path) => {
    const { ask } = await createPlatform()
    const response = await ask(path)
    expect(response.status).toBe(404)
    expect(response.headers.has('www-authenticate')).toBe(false)
    expect(await problemIn(response)).toMatchObject({ errorCode: 'NOT_FOUND', path })
    expect((await ask(path, { method: 'OPTIONS' })).status).toBe(404)
  })

  const allowed = [
    ['/v1/me', 'GET, HEAD, OPTIONS'],
    ['/v1/event-types', 'GET, HEAD, OPTIONS'],
    ['/v1/events', 'GET, HEAD, OPTIONS'],
    ['/v1/events/feed', 'GET, HEAD, OPTIONS'],
    ['/v1/events/:id', 'GET, HEAD, OPTIONS'],
    ['/v1/webhooks/subscriptions', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/webhooks/subscriptions/:id', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['/v1/webhooks/subscriptions/:id/rotate-secret', 'POST, OPTIONS'],
    ['/v1/webhooks/subscriptions/:id/test', 'POST, OPTIONS'],
    ['/v1/webhooks/subscriptions/:id/deliveries', 'GET, HEAD, OPTIONS'],
    ['/v1/webhooks/subscriptions/:id/deliveries/:eventId/attempts', 'GET, HEAD, OPTIONS'],
    ['/v1/webhooks/subscriptions/:id/deliveries/:eventId/resend', 'POST, OPTIONS'],
    ['/v1/webhooks/subscriptions/:id/resend', 'POST, OPTIONS'],
    ['/v1/webhooks/source-addresses', 'GET, HEAD, OPTIONS'],
    ['/v1/webhooks/subscriptions/:id/backfill', 'POST, GET, HEAD, DELETE, OPTIONS'],
  ] as const

  it('has only these paths', () => {
    expect([...new Set(routes.map(({ path }) => path))]).toEqual(allowed.map(([path]) => path))
  })

  it.each(allowed)('answers 405 on %s with Allow: %s, without a key', async (path, allow) => {
    const { ask } = await createPlatform()
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'ALL', 'get-me'].filter(
      (name) => !allow.includes(name),
    )) {
      const response = await ask(concrete(path), { method })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe(allow)
      if (method !== 'HEAD') expect((await problemIn(response)).errorCode).toBe('METHOD_NOT_ALLOWED')
    }
  })

  it.each(allowed)('answers OPTIONS on %s with 204 and Allow: %s, without a key', async (path, allow) => {
    const { ask } = await createPlatform()
    const response = await ask(concrete(path), { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('allow')).toBe(allow)
    expect(response.body).toBe(null)
  })

  it.each(['/v1/me', '/v1/event-types', '/v1/events', '/v1/events?limit=0', '/nowhere'])(
    'answers HEAD %s like GET, but without a body',
    async (path) => {
      const { ask, issue, publishOrder } = await createPlatform()
      await publishOrder('örder')
      const { token } = await issue(['webhooks.read'])
      const get = await ask(path, { token })
      const head = await ask(path, { token, method: 'HEAD' })
      expect(head.status).toBe(get.status)
      expect(head.body).toBe(null)
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength))
    },
  )

  it('counts a HEAD towards the rate limits like any other request', async () => {
    const { ask, issue } = await createPlatform()
    const { token } = await issue()
    await ask('/v1/me', { token, method: 'HEAD' })
    expect((await ask('/v1/me', { token })).headers.get('ratelimit')).toContain('"1s";r=38')
  })
})

describe('the base path', () => {
  it('every request must include the base path, and errors include it in their path', async () => {
    const { ask, issue } = await createPlatform({ basePath: '/api/x.y' })
    const { token } = await issue()
    expect((await ask('/api/x.y/v1/me', { token })).status).toBe(200)
    expect((await ask('/api/xzy/v1/me', { token })).status).toBe(404)
    expect((await ask('/v1/me', { token })).status).toBe(404)
    expect((await problemIn(await ask('/api/x.y/v1/events?limit=0', { token }))).path).toBe('/api/x.y/v1/events')
  })

  it.each(['api', '/api/', '/', '/a b', '/:id', '/a//b', '/*', 'https://example.com'])(
    'cannot be %j',
    async (basePath) => {
      const { callboard } = await createPlatform()
      expect(() => createRouter(callboard, { basePath })).toThrow(
        expect.objectContaining({ code: 'CONFIGURATION_INVALID' }),
      )
    },
  )
})

describe('outgoing requests', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('no API request calls fetch, not even a request that creates a subscription', async () => {
    const outgoing = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('an outgoing request'))
    const { ask, issue, publishOrder } = await createPlatform()
    const { token } = await issue()
    await publishOrder('ord_1')
    const created = await ask('/v1/webhooks/subscriptions', { token, method: 'POST', json: SUBSCRIPTION })
    const { id } = await created.json()
    const statuses = [created.status]
    for (const path of ['/v1/me', '/v1/event-types', '/v1/events']) statuses.push((await ask(path, { token })).status)
    statuses.push((await ask(`/v1/webhooks/subscriptions/${id}`, { token, method: 'DELETE' })).status)
    expect(statuses).toEqual([201, 200, 200, 200, 204])
    expect(outgoing).not.toHaveBeenCalled()
  })
})
