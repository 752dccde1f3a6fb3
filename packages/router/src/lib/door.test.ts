import { describe, expect, it, vi } from 'vitest'
import { createPlatform, problemIn, SUBSCRIPTION } from '../../test/platform.ts'

describe('401 (section 5.4 of the /v1 contract)', () => {
  it('asks for a bearer token, but names no error, when no token was sent', async () => {
    const { ask } = await createPlatform()
    const response = await ask('/v1/me')
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="callboard"')
    expect((await problemIn(response)).errorCode).toBe('UNAUTHENTICATED')
  })

  it('names the realm and the test header of the platform, if it has given them', async () => {
    const { ask } = await createPlatform({ headerNames: { realm: 'Harbour API', test: 'harbour-test' } })
    const response = await ask('/v1/me', { headers: { authorization: 'Bearer nonsense' } })
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="Harbour API", error="invalid_token"')
    const document = await (await ask('/openapi.json')).text()
    expect(document).toContain('`harbour-test: true`')
    expect(document).not.toContain('callboard-test')
  })

  it('leaves the test header of the platform to test events: no signature may use it', async () => {
    const { callboard } = await createPlatform({ headerNames: { test: 'harbour-test' } })
    const hmac = { type: 'hmac', header: 'Harbour-Test', over: 'body', encoding: 'hex' } as const
    const { secret, id } = await callboard.subscriptions.create({ accountId: 'acc_1', ...SUBSCRIPTION })
    const signatures = [hmac]
    const refused = [{ path: 'signatures', code: 'CONFLICT' }]
    const item = { ...SUBSCRIPTION, accountId: 'acc_1', secret, signatures }
    expect(await callboard.subscriptions.import([item], { by: 'platform' })).toMatchObject([
      { outcome: 'refused', issues: refused },
    ])
    const setting = callboard.subscriptions.setSignatures({ accountId: 'acc_1', id, signatures })
    await expect(setting).rejects.toMatchObject({ issues: refused })
  })

  it('malformed, unknown, revoked and expired keys get the same code and message', async () => {
    const { ask, callboard, clock, issue } = await createPlatform()
    const revoked = await issue()
    await callboard.keys.revoke({ accountId: 'acc_1', id: revoked.id })
    const expiring = { accountId: 'acc_1', name: 'short', scopes: [], expiresAt: new Date(clock.now + 1000) } as const
    const expired = await callboard.keys.issue(expiring)
    clock.now += 1000
    const { token: unknown } = await (await createPlatform()).issue()
    const { token: valid } = await issue()
    const mistyped = `${valid.slice(0, -1)}${valid.endsWith('0') ? '1' : '0'}`
    const sent = [
      `Bearer ${revoked.token}`,
      `Bearer ${expired.token}`,
      `Bearer ${unknown}`,
      `Bearer ${mistyped}`,
      `Bearer ${valid} ${valid}`,
      'Bearer nonsense',
    ]
    // If a request has no Bearer token, `WWW-Authenticate` names no error (RFC 6750, section 3.1).
    const unsent = ['Bearer', 'Basic YTpi', valid]
    const answers = new Set<string>()
    for (const authorization of [...sent, ...unsent]) {
      const response = await ask('/v1/me', { headers: { authorization } })
      expect(response.headers.has('ratelimit')).toBe(false)
      const challenge = sent.includes(authorization) ? ', error="invalid_token"' : ''
      expect(response.headers.get('www-authenticate')).toBe(`Bearer realm="callboard"${challenge}`)
      const { statusCode, message, errorCode } = await problemIn(response)
      answers.add(JSON.stringify({ statusCode, message, errorCode }))
    }
    expect([...answers].map((answer) => JSON.parse(answer))).toMatchObject([
      { statusCode: 401, errorCode: 'UNAUTHENTICATED' },
    ])
  })

  it('a key whose account is deleted during the request is answered like an unknown key', async () => {
    const onError = vi.fn()
    const { ask, callboard, issue } = await createPlatform({
      onError,
      breakStore: (store) => ({
        ...store,
        subscriptions: {
          ...store.subscriptions,
          async createSubscription(...subscription) {
            await callboard.accounts.delete({ id: 'acc_1' })
            return store.subscriptions.createSubscription(...subscription)
          },
        },
      }),
    })
    const { token } = await issue()
    const post = () => ask('/v1/webhooks/subscriptions', { token, method: 'POST', json: SUBSCRIPTION })
    const shown = async (response: Response) => {
      const { timestamp: _timestamp, requestId, ...body } = await problemIn(response)
      const headers = Object.fromEntries(response.headers)
      expect(headers['x-request-id']).toBe(requestId)
      return { status: response.status, body, headers: { ...headers, 'x-request-id': '' } }
    }
    const raced = await shown(await post())
    expect(await callboard.accounts.find({ id: 'acc_1' })).toBeUndefined()
    expect(raced).toEqual(await shown(await post()))
    expect(raced.status).toBe(401)
    expect(onError).not.toHaveBeenCalled()
  })

  it('two Authorization values get 401, even if both are the same valid key', async () => {
    const { fetch, issue } = await createPlatform()
    const { token } = await issue()
    const headers = new Headers([
      ['authorization', `Bearer ${token}`],
      ['authorization', `Bearer ${token}`],
    ])
    expect((await fetch(new Request('https://api.example.com/v1/me', { headers }))).status).toBe(401)
  })

  it.each(['bearer', 'BEARER', 'Bearer'])('the scheme may be spelled %s (RFC 9110)', async (scheme) => {
    const { ask, issue } = await createPlatform()
    const { token } = await issue()
    expect((await ask('/v1/me', { headers: { authorization: `${scheme} ${token}` } })).status).toBe(200)
  })

  it('401 is returned before the query and the body are validated', async () => {
    const { ask } = await createPlatform()
    expect((await ask('/v1/events?limit=0')).status).toBe(401)
    expect((await ask('/v1/webhooks/subscriptions', { method: 'POST' })).status).toBe(401)
  })
})

describe('403 (section 5.5 of the /v1 contract)', () => {
  it.each([
    ['GET', '/v1/event-types', 'webhooks.read'],
    ['GET', '/v1/events', 'webhooks.read'],
    ['POST', '/v1/webhooks/subscriptions', 'webhooks.write'],
    ['DELETE', '/v1/webhooks/subscriptions/sub_1', 'webhooks.write'],
  ] as const)('is returned for %s %s without the scope %s, and names that scope', async (method, path, scope) => {
    const { ask, issue } = await createPlatform()
    const others = (['webhooks.read', 'webhooks.write', 'people.read'] as const).filter((name) => name !== scope)
    const response = await ask(path, { method, token: (await issue(others)).token })
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${scope}"`)
    const { errorCode, message } = await problemIn(response)
    expect(errorCode).toBe('INSUFFICIENT_SCOPE')
    expect(message).toContain(scope)
  })

  it('403 is returned before the query, the body and the id are validated', async () => {
    const { ask, issue } = await createPlatform()
    const { token } = await issue([])
    expect((await ask('/v1/events?limit=0', { token })).status).toBe(403)
    expect((await ask('/v1/events?limit=5&limit=6', { token })).status).toBe(403)
    expect((await ask('/v1/events?cursor=x', { token })).status).toBe(403)
    expect(
      (await ask('/v1/webhooks/subscriptions', { token, method: 'POST', headers: { 'content-type': 'text/plain' } }))
        .status,
    ).toBe(403)
    expect((await ask('/v1/webhooks/subscriptions/x', { token, method: 'DELETE' })).status).toBe(403)
  })

  it('GET /v1/events gets 403 if the key has people.read but not webhooks.read', async () => {
    const { ask, issue } = await createPlatform()
    expect((await ask('/v1/events', { token: (await issue(['people.read'])).token })).status).toBe(403)
  })
})

describe('429 (section 8 of the /v1 contract)', () => {
  it('the 41st request within a second gets 429, and a request after that second does not', async () => {
    const { ask, clock, issue } = await createPlatform()
    const { token } = await issue()
    clock.now += 400
    for (let count = 0; count < 40; count++) expect((await ask('/v1/me', { token })).status).toBe(200)
    const response = await ask('/v1/me', { token })
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(response.headers.get('ratelimit')).toBe('"1s";r=0;t=1, "10s";r=210;t=10, "60s";r=760;t=60')
    expect((await problemIn(response)).errorCode).toBe('RATE_LIMITED')
    clock.now += 600
    expect((await ask('/v1/me', { token })).status).toBe(200)
  })

  it('Retry-After lasts until all exceeded windows have reset', async () => {
    const { ask, clock, issue } = await createPlatform({
      limits: [
        { seconds: 1, limit: 1 },
        { seconds: 10, limit: 1 },
        { seconds: 60, limit: 5 },
      ],
    })
    const { token } = await issue()
    clock.now += 2_500
    await ask('/v1/me', { token })
    expect((await ask('/v1/me', { token })).headers.get('retry-after')).toBe('8')
  })

  it('Retry-After is never longer than the longest window, even if the clock was set back', async () => {
    const { ask, clock, issue } = await createPlatform({
      limits: [
        { seconds: 1, limit: 1 },
        { seconds: 10, limit: 1 },
        { seconds: 60, limit: 1 },
      ],
    })
    const { token } = await issue()
    clock.now += 60_000 - (clock.now % 60_000)
    await ask('/v1/me', { token })
    clock.now -= 5_000
    expect((await ask('/v1/me', { token })).headers.get('retry-after')).toBe('60')
  })

  it('429 is returned before scope and query are checked, and a refused request counts towards no window', async () => {
    const { ask, clock, issue } = await createPlatform({
      limits: [
        { seconds: 1, limit: 1 },
        { seconds: 10, limit: 2 },
        { seconds: 60, limit: 9 },
      ],
    })
    const { token } = await issue([])
    expect((await ask('/v1/events', { token })).status).toBe(403)
    for (const path of ['/v1/events', '/v1/events?limit=0', '/v1/events?limit=', '/v1/event-types']) {
      expect((await ask(path, { token })).status).toBe(429)
    }
    clock.now += 1_000
    expect((await ask('/v1/me', { token })).status).toBe(200)
  })

  it('requests with one key do not exhaust the limits of another key', async () => {
    const { ask, issue } = await createPlatform()
    const { token } = await issue()
    for (let count = 0; count < 41; count++) await ask('/v1/me', { token })
    expect((await ask('/v1/me', { token })).status).toBe(429)
    expect((await ask('/v1/me', { token: (await issue()).token })).status).toBe(200)
  })
})

describe('every authenticated request', () => {
  it('counts towards the rate limits, whatever its outcome, and is answered with the rate-limit headers', async () => {
    const { ask, issue } = await createPlatform()
    const { token } = await issue()
    const { token: reader } = await issue(['webhooks.read'])
    const policy = '"1s";q=40;w=1, "10s";q=250;w=10, "60s";q=800;w=60'
    const stateAfter = (left: number): string =>
      `"1s";r=${40 - left};t=1, "10s";r=${250 - left};t=10, "60s";r=${800 - left};t=60`
    const post = { token, method: 'POST' } as const
    const outcomes = [
      [200, await ask('/v1/me', { token })],
      [400, await ask('/v1/events?limit=0', { token })],
      [400, await ask('/v1/events?limit=', { token })],
      [400, await ask('/v1/events?cursor=x', { token })],
      [415, await ask('/v1/webhooks/subscriptions', post)],
      [400, await ask('/v1/webhooks/subscriptions', { ...post, json: {} })],
      [413, await ask('/v1/webhooks/subscriptions', { ...post, json: 'x'.repeat(70_000) })],
      [404, await ask('/v1/webhooks/subscriptions/none', { token, method: 'DELETE' })],
      [201, await ask('/v1/webhooks/subscriptions', { ...post, json: SUBSCRIPTION })],
      [200, await ask('/v1/webhooks/subscriptions', { ...post, json: SUBSCRIPTION })],
    ] as const
    for (const [index, [status, response]] of outcomes.entries()) {
      expect(response.status).toBe(status)
      expect(response.headers.get('ratelimit-policy')).toBe(policy)
      expect(response.headers.get('ratelimit')).toBe(stateAfter(index + 1))
    }
    const forbidden = await ask('/v1/webhooks/subscriptions', { token: reader, method: 'POST' })
    expect(forbidden.status).toBe(403)
    expect(forbidden.headers.get('ratelimit')).toBe(stateAfter(1))
    let limited = forbidden
    for (let count = 0; count < 40; count++) limited = await ask('/v1/me', { token })
    expect(limited.status).toBe(429)
    expect(limited.headers.get('ratelimit')).toBe(stateAfter(40))
  })

  it('is answered with the rate limits of its own key', async () => {
    const { ask, callboard } = await createPlatform()
    const { token } = await callboard.keys.issue({
      accountId: 'acc_1',
      name: 'big',
      scopes: [],
      limits: [
        { seconds: 1, limit: 100 },
        { seconds: 30, limit: 1_000 },
        { seconds: 3_600, limit: 50_000 },
      ],
    })
    const { headers } = await ask('/v1/me', { token })
    expect(headers.get('ratelimit-policy')).toBe('"1s";q=100;w=1, "30s";q=1000;w=30, "3600s";q=50000;w=3600')
    expect(headers.get('ratelimit')).toBe('"1s";r=99;t=1, "30s";r=999;t=30, "3600s";r=49999;t=3600')
  })
})
