import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { CallboardApiError } from './callboard-api-error.ts'
import type { Client } from './client.ts'
import type { ClientOptions } from './client-options.ts'

const API = 'https://api.example.com'
const KEY = 'cb_live_0123456789'
const server = setupServer()
let createClient: typeof import('../index.ts').createClient

beforeAll(async () => {
  server.listen({ onUnhandledFrame: 'error' })
  // Imported only after `server.listen`, because node-fetch-native captures the global `fetch` when it is imported.
  ;({ createClient } = await import('../index.ts'))
})
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const ME = { entity: { id: 'acc_1', name: 'Harbour Hall' }, apiKeyId: 'key_1', scopes: ['webhooks.read'] }
const SUBSCRIPTION = { id: 'sub_1', created: true, targetUrl: 'https://hooks.example.com/1', secret: 'whsec_x' }

/** Creates a client without jitter, which records each wait in `waits` instead of waiting. */
function client(options: Partial<ClientOptions> = {}): { client: Client; waits: number[] } {
  const waits: number[] = []
  const sleep = async (ms: number): Promise<void> => void waits.push(ms)
  return { waits, client: createClient({ baseUrl: API, apiKey: KEY, sleep, random: () => 0, ...options }) }
}

function problem(statusCode: number, errorCode: string, headers: Record<string, string> = {}): Response {
  const body = {
    statusCode,
    message: `What ${errorCode} means.`,
    timestamp: '2026-11-20T12:00:00.000Z',
    path: '/v1/me',
    requestId: 'req_1',
    errorCode,
    ...(statusCode === 400 && { issues: [{ path: 'targetUrl', message: 'targetUrl is required.' }] }),
  }
  return HttpResponse.json(body, { status: statusCode, headers: { 'x-request-id': 'req_1', ...headers } })
}

/** Answers requests for a path with the given responses in turn. The last response answers all further requests. */
function answers(method: 'get' | 'post' | 'patch' | 'delete', path: string, ...all: (() => Response)[]): Request[] {
  const requests: Request[] = []
  server.use(
    http[method](API + path, ({ request }) => {
      requests.push(request.clone())
      return all[Math.min(requests.length, all.length) - 1]!()
    }),
  )
  return requests
}

async function thrownBy(call: Promise<unknown>): Promise<CallboardApiError> {
  return call.then(
    () => expect.fail('nothing was thrown'),
    (error) => error,
  )
}

describe('a call', () => {
  it('sends the key, and sends a body as JSON', async () => {
    const me = answers('get', '/v1/me', () => HttpResponse.json(ME))
    const create = answers('post', '/v1/webhooks/subscriptions', () => HttpResponse.json(SUBSCRIPTION, { status: 201 }))
    const { client: api } = client()
    expect(await api.me()).toEqual(ME)
    expect(me[0]?.headers.get('authorization')).toBe(`Bearer ${KEY}`)
    expect(me[0]?.headers.has('content-type')).toBe(false)

    const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'], externalRef: 'flow 7' }
    expect(await api.subscriptions.create(input)).toEqual(SUBSCRIPTION)
    expect(create[0]?.headers.get('content-type')).toBe('application/json')
    expect(await create[0]?.json()).toEqual({ ...input, integration: 'other' })
  })

  it('calls fetch without a `this`, as browsers and workers require', async () => {
    let holder: unknown = 'not called'
    async function fetch(this: unknown): Promise<Response> {
      holder = this
      return HttpResponse.json(ME)
    }
    await client({ fetch }).client.me()
    expect(holder).toBeUndefined()
  })

  it('goes to the path where the API is mounted, whether or not baseUrl has a trailing slash', async () => {
    const requests = answers('get', '/callboard/v1/me', () => HttpResponse.json(ME))
    await client({ baseUrl: `${API}/callboard` }).client.me()
    await client({ baseUrl: `${API}/callboard/` }).client.me()
    expect(requests).toHaveLength(2)
  })

  it('escapes the id of a subscription in the path', async () => {
    const requests = answers('delete', '/v1/webhooks/subscriptions/*', () => new HttpResponse(null, { status: 204 }))
    expect(await client().client.subscriptions.remove('sub/1?x')).toBeUndefined()
    expect(requests[0]?.url).toBe(`${API}/v1/webhooks/subscriptions/sub%2F1%3Fx`)
  })

  it.each([
    ['a baseUrl without a scheme', { baseUrl: 'api.example.com' }],
    ['another scheme', { baseUrl: 'ftp://api.example.com' }],
    ['a user', { baseUrl: 'https://user:secret@api.example.com' }],
    ['a query', { baseUrl: `${API}?x=1` }],
    ['a baseUrl that includes /v1', { baseUrl: `${API}/v1` }],
    ['an empty key', { apiKey: '' }],
    ['a key with a line break', { apiKey: `${KEY}\n` }],
  ])('cannot be made with %s in the options, and the error does not quote the value', (_, options) => {
    const error = (() => {
      try {
        return client(options)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toMatchObject({ name: 'CallboardApiError', code: 'CONFIGURATION_INVALID' })
    expect(String(error)).not.toMatch(/secret|0123456789/)
  })
})

describe('a format version', () => {
  it('is asked for in each call', async () => {
    const requests = answers('get', '/v1/me', () => HttpResponse.json(ME))
    await client().client.me()
    await client({ apiVersion: '2026-04-01' }).client.me()
    expect(requests.map(({ headers }) => headers.get('callboard-version'))).toEqual([null, '2026-04-01'])
  })

  it('that is not a date is refused', () => {
    expect(() => client({ apiVersion: 'latest' })).toThrow(expect.objectContaining({ code: 'CONFIGURATION_INVALID' }))
  })

  it('of a subscription can be chosen, and changed', async () => {
    const created = answers('post', '/v1/webhooks/subscriptions', () => HttpResponse.json(SUBSCRIPTION))
    const updated = answers('patch', '/v1/webhooks/subscriptions/sub%2F1', () => HttpResponse.json({ id: 'sub/1' }))
    const { subscriptions } = client().client
    await subscriptions.create({ targetUrl: 'https://x.example', eventTypes: ['a'], apiVersion: '2026-04-01' })
    expect(await subscriptions.update('sub/1', { apiVersion: '2026-10-01' })).toEqual({ id: 'sub/1' })
    expect(await created[0]!.json()).toMatchObject({ apiVersion: '2026-04-01' })
    expect(await updated[0]!.json()).toEqual({ apiVersion: '2026-10-01' })
  })
})

describe('a change of a subscription', () => {
  it('that would equal another one is refused with the id of that one', async () => {
    answers('patch', '/v1/webhooks/subscriptions/sub_1', () =>
      HttpResponse.json(
        { errorCode: 'SUBSCRIPTION_EXISTS', message: 'It exists.', subscriptionId: 'sub_2' },
        { status: 409 },
      ),
    )
    const error = await thrownBy(client().client.subscriptions.update('sub_1', { externalRef: null }))
    expect(error).toMatchObject({ code: 'SUBSCRIPTION_EXISTS', statusCode: 409, subscriptionId: 'sub_2' })
  })

  it('of the secret is repeated with the same version when the response is lost', async () => {
    const rotated = { id: 'sub_1', secret: 'whsec_y', secretVersion: 'v2' }
    const path = '/v1/webhooks/subscriptions/sub_1/rotate-secret'
    const requests = answers('post', path, HttpResponse.error, () => HttpResponse.json(rotated))
    const asked = { secretVersion: 'v1', overlapSeconds: 60 }
    expect(await client().client.subscriptions.rotateSecret('sub_1', asked)).toEqual(rotated)
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([asked, asked])
  })
})

describe('a test event', () => {
  const path = '/v1/webhooks/subscriptions/sub_1/test'
  const sent = { eventId: 'test_1', type: 'a', outcome: 'delivered', status: 200, durationMs: 3 }

  it.each([
    ['lost', HttpResponse.error],
    ['a 503', () => problem(503, 'UNAVAILABLE', { 'retry-after': '1' })],
  ])('is not sent again when its response is %s, because it may have arrived', async (_, response) => {
    const requests = answers('post', path, response, () => HttpResponse.json(sent))
    await thrownBy(client().client.subscriptions.sendTest('sub_1', { type: 'a' }))
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([{ type: 'a' }])
  })

  it('waits for a limit, because a refused one was not sent', async () => {
    answers(
      'post',
      path,
      () => problem(429, 'RATE_LIMITED', { 'retry-after': '2' }),
      () => HttpResponse.json(sent),
    )
    const { client: limited, waits } = client()
    expect(await limited.subscriptions.sendTest('sub_1', { type: 'a' })).toEqual(sent)
    expect(waits).toEqual([2000])
  })
})

describe('the list of events', () => {
  const pages: Record<string, { data: { id: string }[]; nextCursor: string | null; hasMore: boolean }> = {
    '': { data: [{ id: 'evt_5' }, { id: 'evt_4' }], nextCursor: 'c1', hasMore: true },
    c1: { data: [{ id: 'evt_3' }, { id: 'evt_2' }], nextCursor: 'c2', hasMore: true },
    c2: { data: [{ id: 'evt_1' }], nextCursor: null, hasMore: false },
  }
  function serve(): string[] {
    const queries: string[] = []
    server.use(
      http.get(`${API}/v1/events`, ({ request }) => {
        const { search, searchParams } = new URL(request.url)
        queries.push(search)
        return HttpResponse.json(pages[searchParams.get('cursor') ?? '']!)
      }),
    )
    return queries
  }

  it('yields the events of all pages one by one, and requests a page only when the loop reaches it', async () => {
    const queries = serve()
    const list = client().client.events({ type: 'order.paid', limit: 2 })
    expect(queries).toEqual([])
    const ids: string[] = []
    const asked: number[] = []
    for await (const event of list) {
      ids.push(event.id)
      asked.push(queries.length)
    }
    expect(ids).toEqual(['evt_5', 'evt_4', 'evt_3', 'evt_2', 'evt_1'])
    expect(asked).toEqual([1, 1, 2, 2, 3])
    expect(queries).toEqual([
      '?type=order.paid&limit=2',
      '?type=order.paid&limit=2&cursor=c1',
      '?type=order.paid&limit=2&cursor=c2',
    ])
  })

  it('requests no further page after a break in the loop', async () => {
    const queries = serve()
    for await (const event of client().client.events()) if (event.id === 'evt_4') break
    expect(queries).toEqual([''])
  })

  it('can be read a page at a time, starting from a cursor', async () => {
    serve()
    const list = client().client.events({ cursor: 'c1' })
    expect(await list.page()).toEqual(pages['c1'])
    const read: unknown[] = []
    for await (const page of list.pages()) read.push(page)
    expect(read).toEqual([pages['c1'], pages['c2']])
  })

  it('ends the loop if the signal is aborted, even in the middle of a page', async () => {
    serve()
    const controller = new AbortController()
    const seen: string[] = []
    const reading = (async () => {
      for await (const { id } of client().client.events({}, { signal: controller.signal })) {
        seen.push(id)
        controller.abort(new Error('enough'))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(seen).toEqual(['evt_5'])
  })
})

describe('deliveries', () => {
  it('are listed by subscription, and their attempts by event', async () => {
    const page = { data: [{ eventId: 'evt_1' }], nextCursor: null, hasMore: false }
    const lists = answers('get', '/v1/webhooks/subscriptions/sub%2F1/deliveries', () => HttpResponse.json(page))
    const attempts = answers('get', '/v1/webhooks/subscriptions/sub_1/deliveries/evt%2F1/attempts', () =>
      HttpResponse.json(page),
    )
    const { subscriptions } = client().client
    const seen: string[] = []
    for await (const { eventId } of subscriptions.deliveries('sub/1', { state: 'exhausted', limit: 5 }))
      seen.push(eventId)
    expect(await subscriptions.attempts('sub_1', 'evt/1').page()).toEqual(page)
    expect(seen).toEqual(['evt_1'])
    expect(new URL(lists[0]!.url).search).toBe('?state=exhausted&limit=5')
    expect(new URL(attempts[0]!.url).search).toBe('')
  })

  it('of a range are resent in as many requests as it takes', async () => {
    const steps = [
      { resent: 500, waiting: 0, nextCursor: 'c1' },
      { resent: 0, waiting: 500, nextCursor: 'c2' },
      { resent: 7, waiting: 1, nextCursor: null },
    ]
    const requests = answers(
      'post',
      '/v1/webhooks/subscriptions/sub_1/resend',
      ...steps.map((step) => () => HttpResponse.json(step, { status: 202 })),
    )
    const range = { since: '2026-11-20T00:00:00Z', states: ['exhausted'] } as const
    expect(await client().client.subscriptions.resendRange('sub_1', range)).toEqual({ resent: 507, waiting: 501 })
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([
      range,
      { ...range, cursor: 'c1' },
      { ...range, cursor: 'c2' },
    ])
  })

  it('are resent one by one without a body', async () => {
    const requests = answers('post', '/v1/webhooks/subscriptions/sub_1/deliveries/evt_1/resend', () =>
      HttpResponse.json({ outcome: 'scheduled' }, { status: 202 }),
    )
    expect(await client().client.subscriptions.resend('sub_1', 'evt_1')).toEqual({ outcome: 'scheduled' })
    expect(await requests[0]!.text()).toBe('')
  })
})

describe('a backfill', () => {
  it('is started, read and cancelled', async () => {
    const path = '/v1/webhooks/subscriptions/sub_1/backfill'
    const backfill = { state: 'running', since: '2026-11-20T00:00:00.000Z' }
    const [started, read, cancelled] = (['post', 'get', 'delete'] as const).map((method) =>
      answers(method, path, () => HttpResponse.json(backfill)),
    )
    const { subscriptions } = client().client
    expect(await subscriptions.startBackfill('sub_1', { since: '2026-11-20T00:00:00Z' })).toEqual(backfill)
    expect(await started![0]!.json()).toEqual({ since: '2026-11-20T00:00:00Z' })
    expect(await subscriptions.getBackfill('sub_1')).toEqual(backfill)
    expect(await subscriptions.cancelBackfill('sub_1')).toEqual(backfill)
    expect([read, cancelled].map((requests) => requests!.length)).toEqual([1, 1])
  })
})

describe('an error', () => {
  it("has the fields of the API's error", async () => {
    const requests = answers('get', '/v1/me', () => problem(400, 'VALIDATION_FAILED'))
    const error = await thrownBy(client().client.me())
    expect(error).toMatchObject({
      name: 'CallboardApiError',
      code: 'VALIDATION_FAILED',
      message: 'What VALIDATION_FAILED means.',
      statusCode: 400,
      requestId: 'req_1',
      path: '/v1/me',
      timestamp: '2026-11-20T12:00:00.000Z',
      issues: [{ path: 'targetUrl', message: 'targetUrl is required.' }],
      retryAfter: undefined,
    })
    expect(requests).toHaveLength(1)
  })

  it.each([401, 403, 404, 405, 409, 413, 415])('is not retried if the status of the response is %i', async (status) => {
    const requests = answers('get', '/v1/me', () => problem(status, 'NEWER_CODE'))
    expect(await thrownBy(client().client.me())).toMatchObject({ statusCode: status, code: 'NEWER_CODE', issues: [] })
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['a page', () => HttpResponse.html('<h1>Welcome</h1>')],
    ['nothing', () => new HttpResponse(null, { status: 204 })],
    ['a redirect', () => HttpResponse.redirect('https://elsewhere.example/', 307)],
    ["a proxy's 404", () => HttpResponse.html('<h1>Not found</h1>', { status: 404 })],
    ["another API's 400", () => HttpResponse.json({ error: 'no' }, { status: 400 })],
  ])('says that the response is not from the API: %s', async (_, answer) => {
    const requests = answers('get', '/v1/events', answer)
    const error = await thrownBy(client().client.events({ cursor: 'c1' }).page())
    expect(error).toMatchObject({ code: 'RESPONSE_INVALID', statusCode: answer().status })
    expect(error.message).toContain(`GET ${API}/v1/events returned`)
    expect(error.message).not.toContain('c1')
    expect(requests).toHaveLength(1)
  })

  it('contains neither the key nor the body of the response', async () => {
    answers('post', '/v1/webhooks/subscriptions', () => new HttpResponse('{"secret":"whsec_very', { status: 201 }))
    const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
    const error = await thrownBy(client().client.subscriptions.create(input))
    expect(error.code).toBe('RESPONSE_INVALID')
    const all = JSON.stringify(error) + error.message + error.stack + String(error.cause)
    expect(all).not.toContain('whsec_very')
    expect(all).not.toContain(KEY)
  })
})

describe('a temporary failure', () => {
  const fine = () => HttpResponse.json(ME)

  it.each([
    [500, () => problem(500, 'INTERNAL')],
    [502, () => HttpResponse.html('<h1>Bad gateway</h1>', { status: 502 })],
    [503, () => problem(503, 'UNAVAILABLE')],
    [504, () => new HttpResponse(null, { status: 504 })],
    ['no connection', () => HttpResponse.error()],
  ])('is retried after increasing waits: %s', async (_, failure) => {
    const requests = answers('get', '/v1/me', failure, failure, fine)
    const { client: api, waits } = client()
    expect(await api.me()).toEqual(ME)
    expect(requests).toHaveLength(3)
    expect(waits).toEqual([500, 1000])
  })

  it('rejects the call once no retry is left', async () => {
    const requests = answers('get', '/v1/me', () => problem(503, 'UNAVAILABLE', { 'retry-after': '1' }))
    const { client: api, waits } = client({ maxRetries: 1 })
    expect(await thrownBy(api.me())).toMatchObject({ code: 'UNAVAILABLE', statusCode: 503, retryAfter: 1 })
    expect(requests).toHaveLength(2)
    expect(waits).toEqual([1000])

    answers('get', '/v1/me', () => HttpResponse.error())
    const error = await thrownBy(client({ maxRetries: 0 }).client.me())
    expect(error).toMatchObject({ code: 'UNREACHABLE', statusCode: undefined, cause: expect.any(TypeError) })
  })

  it('is not retried when the API asks for a wait of more than 8 seconds', async () => {
    answers('get', '/v1/me', () => problem(503, 'UNAVAILABLE', { 'retry-after': '9' }))
    const { client: api, waits } = client()
    expect(await thrownBy(api.me())).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 9 })
    expect(waits).toEqual([])
  })

  it('is retried for every HTTP method, because repeats are safe (section 4.4 of the /v1 contract)', async () => {
    const created = answers(
      'post',
      '/v1/webhooks/subscriptions',
      () => HttpResponse.error(),
      () => HttpResponse.json({ ...SUBSCRIPTION, created: false }),
    )
    const removed = answers(
      'delete',
      '/v1/webhooks/subscriptions/sub_1',
      () => problem(503, 'UNAVAILABLE'),
      () => new HttpResponse(null, { status: 204 }),
    )
    const { client: api } = client()
    const input = { targetUrl: 'https://hooks.example.com/1', eventTypes: ['order.paid'] }
    expect(await api.subscriptions.create(input)).toMatchObject({ id: 'sub_1', created: false })
    await api.subscriptions.remove('sub_1')
    expect(await created[1]?.json()).toEqual(await created[0]?.json())
    expect(removed).toHaveLength(2)
  })

  it('is retried after a wait that is lengthened at random by up to half, but by at most 2 seconds', async () => {
    const failing = () => problem(500, 'INTERNAL')
    answers('get', '/v1/me', failing, failing, fine)
    const { client: api, waits } = client({ random: () => 0.999_999 })
    await api.me()
    expect(waits).toEqual([750, 1500])
    answers('get', '/v1/me', () => problem(429, 'RATE_LIMITED', { 'retry-after': '60' }), fine)
    await api.me()
    expect(waits.at(-1)).toBe(62_000)
  })

  it('can be a response that does not arrive in time', async () => {
    let attempts = 0
    const fetch = (_: string, { signal }: RequestInit): Promise<Response> => {
      attempts += 1
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    }
    const { client: api } = client({ fetch, timeoutMs: 1 })
    expect(await thrownBy(api.me())).toMatchObject({ code: 'TIMED_OUT', statusCode: undefined })
    expect(attempts).toBe(3)
  })

  it('is never a slow response if timeoutMs is Infinity', async () => {
    const fetch = async (_: string, { signal }: RequestInit): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      signal?.throwIfAborted()
      return fine()
    }
    expect(await client({ fetch, timeoutMs: Number.POSITIVE_INFINITY, maxRetries: 0 }).client.me()).toEqual(ME)
  })

  it('can be a response body that breaks off', async () => {
    const broken = () =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) }))
    const all = [broken, fine]
    const { client: api } = client({ fetch: async () => all.shift()!() })
    expect(await api.me()).toEqual(ME)
  })
})

describe('a rate limit', () => {
  const limited = (seconds?: string) => () =>
    problem(429, 'RATE_LIMITED', seconds === undefined ? {} : { 'retry-after': seconds })

  it('makes the call wait as long as the API says, without using up retries', async () => {
    const requests = answers('get', '/v1/me', limited('3'), limited('1'), limited(), limited('0'), () =>
      HttpResponse.json(ME),
    )
    const { client: api, waits } = client({ maxRetries: 0 })
    expect(await api.me()).toEqual(ME)
    expect(requests).toHaveLength(5)
    expect(waits).toEqual([3000, 1000, 1000, 1000])
  })

  it('makes the call wait for at most a minute in total by default', async () => {
    answers('get', '/v1/me', limited('40'), limited('20'), limited('1'))
    const { client: api, waits } = client()
    expect(await thrownBy(api.me())).toMatchObject({ code: 'RATE_LIMITED', statusCode: 429, retryAfter: 1 })
    expect(waits).toEqual([40_000, 20_000])
  })

  it('rejects the call at once when the wait would be too long, or when waiting is turned off', async () => {
    answers('get', '/v1/me', limited('86400'))
    const patient = client()
    expect(await thrownBy(patient.client.me())).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 86_400 })
    for (const [seconds, retryAfter] of [
      ['9999999999', 9_999_999_999],
      ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ] as const) {
      answers('get', '/v1/me', limited(seconds))
      expect(await thrownBy(patient.client.me())).toMatchObject({ code: 'RATE_LIMITED', retryAfter })
    }
    const impatient = client({ maxRateLimitWaitMs: 0 })
    answers('get', '/v1/me', limited('1'))
    expect(await thrownBy(impatient.client.me())).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 1 })
    expect([...patient.waits, ...impatient.waits]).toEqual([])
  })
})

describe('a signal', () => {
  it('that is already aborted ends a call before its first request', async () => {
    const { client: api } = client()
    await expect(api.me({ signal: AbortSignal.abort('no longer') })).rejects.toBe('no longer')
  })

  it('ends a call in flight, without a retry', async () => {
    const controller = new AbortController()
    const requests = answers('get', '/v1/me', () => {
      controller.abort('no longer')
      return HttpResponse.json(ME)
    })
    await expect(client().client.me({ signal: controller.signal })).rejects.toBe('no longer')
    expect(requests).toHaveLength(1)
  })

  it('ends a call that is waiting to retry', async () => {
    const controller = new AbortController()
    const requests = answers('get', '/v1/me', () => problem(429, 'RATE_LIMITED', { 'retry-after': '3600' }))
    // The client calls `random` just before it waits, so the microtask aborts the signal during the wait.
    const random = (): number => {
      queueMicrotask(() => controller.abort('no longer'))
      return 0
    }
    const { client: api } = client({ sleep: undefined, random, maxRateLimitWaitMs: 4_000_000 })
    await expect(api.me({ signal: controller.signal })).rejects.toBe('no longer')
    expect(requests).toHaveLength(1)
  })
})
