import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { connect, createServer as createHttp2Server, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { getRequestListener } from '@hono/node-server'
import express, { type Express } from 'express'
import Fastify from 'fastify'
import { Hono, type MiddlewareHandler } from 'hono'
import { cloneRawRequest } from 'hono/request'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { createPlatform, SUBSCRIPTION } from '../../../test/platform.ts'
import { createRouter, type Router } from '../router.ts'
import { toFastifyPlugin } from './to-fastify-plugin.ts'
import { type NodeHandler, toNodeHandler } from './to-node-handler.ts'

/** Serves the router below `/api` and returns the address of that path. */
type Mount = (router: Router) => Promise<string>

let stop: () => unknown = () => undefined
afterEach(() => stop())

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  stop = () => server.close()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
}

const onExpress =
  (mount: (app: Express, handler: NodeHandler) => unknown): Mount =>
  (router) => {
    const app = express()
    mount(app, toNodeHandler(router))
    app.get('/api/other', (_request, response) => void response.send('the platform’s own'))
    return listening(app)
  }

const onHono =
  (mount: (app: Hono, router: Router) => unknown): Mount =>
  (router) => {
    const app = new Hono()
    mount(app, router)
    app.get('/api/other', (c) => c.text('the platform’s own'))
    return listening(getRequestListener(app.fetch))
  }

/** Middleware that reads request bodies, as a body logger or a validator does. */
const readsBodies: MiddlewareHandler = async (c, next) => {
  await c.req.text()
  await next()
}

const mounts: Record<string, Mount> = {
  'node:http': (router) => listening(toNodeHandler(router)),
  Express: onExpress((app, handler) => app.use(['/api/v1', '/api/openapi.json'], handler)),
  'Express with a pattern': onExpress((app, handler) => app.all('/api/v1/{*path}', handler)),
  'Express after express.json()': onExpress((app, handler) => app.use(express.json()).use('/api/v1', handler)),
  'Express after express.text()': onExpress((app, handler) =>
    app.use(express.text({ type: '*/*' })).use('/api/v1', handler),
  ),
  'Express after express.raw()': onExpress((app, handler) =>
    app.use(express.raw({ type: '*/*' })).use('/api/v1', handler),
  ),
  'an Express router': onExpress((app, handler) => app.use('/api', express.Router().use('/v1', handler))),
  Hono: onHono((app, { fetch }) => app.all('/api/v1/*', (c) => fetch(c.req.raw))),
  'a Hono app below another': onHono((app, { fetch }) =>
    app.route(
      '/api',
      new Hono().all('/v1/*', (c) => fetch(c.req.raw)),
    ),
  ),
  'Hono after middleware that reads bodies': onHono((app, { fetch }) =>
    app.use(readsBodies).all('/api/v1/*', async (c) => fetch(await cloneRawRequest(c.req))),
  ),
  Fastify: async (router) => {
    const app = Fastify()
    app.register(toFastifyPlugin(router), { prefix: '/api' })
    app.get('/api/other', () => 'the platform’s own')
    stop = () => app.close()
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}/api`
  },
}

describe.each(Object.entries(mounts))('a router mounted in %s', (name, mount) => {
  let url: string
  let token: string
  const errors: unknown[] = []

  beforeEach(async () => {
    const platform = await createPlatform({ onError: (error) => errors.push(error) })
    ;({ token } = await platform.issue())
    url = await mount(createRouter(platform.callboard, { basePath: '/api' }))
  })

  const call = (method: string, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...init,
    })

  it('answers GET, HEAD and OPTIONS', async () => {
    const got = await call('GET', '/v1/events?limit=1')
    expect([got.status, await got.json()]).toEqual([200, { data: [], nextCursor: null, hasMore: false }])
    const head = await call('HEAD', '/v1/events?limit=1')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      got.headers.get('content-length'),
      '',
    ])
    const options = await call('OPTIONS', '/v1/events')
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })

  it('creates a subscription, and removes it even if the DELETE has a JSON content type', async () => {
    const created = await call('POST', '/v1/webhooks/subscriptions', { body: JSON.stringify(SUBSCRIPTION) })
    expect(created.status).toBe(201)
    const { id, targetUrl } = (await created.json()) as { id: string; targetUrl: string }
    expect(targetUrl).toBe(SUBSCRIPTION.targetUrl)
    const removed = await call('DELETE', `/v1/webhooks/subscriptions/${id}`)
    expect([removed.status, await removed.text()]).toEqual([204, ''])
  })

  it("returns the API's errors, with the path as requested", async () => {
    for (const [status, method, path] of [
      [404, 'GET', '/v1/nowhere'],
      [405, 'PUT', '/v1/me'],
      [415, 'POST', '/v1/webhooks/subscriptions'],
    ] as const) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }
      const response = await call(method, `${path}?q=1`, { headers, ...(method !== 'GET' && { body: 'a,b' }) })
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({ statusCode: status, path: `/api${path}` })
    }
  })

  it('refuses a body that is too large, and keeps the connection open', async () => {
    const body = JSON.stringify({ ...SUBSCRIPTION, externalRef: 'x'.repeat(70_000) })
    for (const _ of [1, 2]) {
      const response = await call('POST', '/v1/webhooks/subscriptions', { body })
      expect([response.status, ((await response.json()) as { errorCode: string }).errorCode]).toEqual([
        413,
        'PAYLOAD_TOO_LARGE',
      ])
    }
  })

  it('accepts a body without a content length', async () => {
    const body = new Blob([JSON.stringify(SUBSCRIPTION)]).stream()
    const created = await call('POST', '/v1/webhooks/subscriptions', { body, duplex: 'half' } as RequestInit)
    expect(created.status).toBe(201)
  })

  it('refuses two Authorization values', async () => {
    const refused = await plainly(`${url}/v1/me`, {
      headers: ['Host', 'a', 'Authorization', `Bearer ${token}`, 'Authorization', 'x'],
    })
    refused.resume()
    expect(refused.statusCode).toBe(401)
  })

  // Not tested with Hono's cloneRawRequest, which throws before the router is called.
  if (name !== 'Hono after middleware that reads bodies')
    it('answers TRACE, which a fetch Request cannot have, like other methods that no endpoint has', async () => {
      const refused = await plainly(`${url}/v1/me`, { method: 'TRACE' })
      expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
      expect(await json(refused)).toMatchObject({ errorCode: 'METHOD_NOT_ALLOWED', path: '/api/v1/me' })
      expect((await plainly(`${url}/v1/nowhere`, { method: 'TRACE' })).resume().statusCode).toBe(404)
      expect(errors).toEqual([])
    })

  // Not tested on Hono, whose own server refuses an invalid Host before any handler runs.
  if (!name.includes('Hono'))
    it('answers a request with an invalid Host, which a fetch Request cannot represent', async () => {
      const headers = ['Host', 'a b', 'Authorization', `Bearer ${token}`]
      expect((await plainly(`${url}/v1/me`, { headers })).resume().statusCode).toBe(200)
      expect(errors).toEqual([])
    })

  // Not tested on node:http, where the router answers every path.
  if (name !== 'node:http')
    it('leaves other paths to the platform', async () => {
      expect(await (await call('GET', '/other')).text()).toBe('the platform’s own')
    })
})

describe.each<[string, Mount]>([
  [
    'Node',
    (router) =>
      listening((request, response) => {
        request.resume().on('end', () => void toNodeHandler(router)(request, response))
      }),
  ],
  [
    'Fastify without the plugin',
    async (router) => {
      const app = Fastify()
      app.all('/api/v1/*', ({ raw }, reply) => toNodeHandler(router)(raw, reply.hijack().raw))
      stop = () => app.close()
      return `${await app.listen({ port: 0, host: '127.0.0.1' })}/api`
    },
  ],
  ['Hono, by c.req.raw', onHono((app, { fetch }) => app.use(readsBodies).all('/api/v1/*', (c) => fetch(c.req.raw)))],
])('a body that was read and discarded before the router received it, on %s,', (_, mount) => {
  it('is reported to onError with advice, and answered with 500', async () => {
    const errors: unknown[] = []
    const { callboard, issue } = await createPlatform({ onError: (error) => errors.push(error) })
    const { token } = await issue()
    const url = await mount(createRouter(callboard, { basePath: '/api' }))
    const response = await fetch(`${url}/v1/webhooks/subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(SUBSCRIPTION),
    })
    expect([response.status, await response.json()]).toEqual([
      500,
      expect.objectContaining({ errorCode: 'INTERNAL', path: '/api/v1/webhooks/subscriptions' }),
    ])
    expect(errors).toMatchObject([
      { code: 'CONFIGURATION_INVALID', message: expect.stringMatching(/^The body was read before .+toFastifyPlugin/) },
    ])
  })
})

it('toNodeHandler restores a form that express.urlencoded() has parsed, including repeated fields', async () => {
  const echo = (request: Request): Promise<Response> => request.text().then((text) => new Response(text))
  const url = await listening(
    express()
      .use(express.urlencoded())
      .use('/api', toNodeHandler({ fetch: echo })),
  )
  const form = new URLSearchParams('type=order.paid&type=ticket%26&note=a+b%3D')
  expect(await (await fetch(url, { method: 'POST', body: form })).text()).toBe(form.toString())
})

it.each<[string, (router: Pick<Router, 'fetch'>) => Promise<string>]>([
  ['node:http', (router) => listening(toNodeHandler(router))],
  [
    'Fastify',
    async (router) => {
      const app = Fastify()
      app.register(toFastifyPlugin(router, { paths: ['/*'] }))
      stop = () => app.close()
      return app.listen({ port: 0, host: '127.0.0.1' })
    },
  ],
])('a response with several cookies keeps them all, on %s', async (_, mount) => {
  const headers: [string, string][] = [
    ['location', '/sign-in'],
    ['set-cookie', 'state=1; Path=/'],
    ['set-cookie', 'back=%2Fdashboard'],
  ]
  const url = await mount({ fetch: async () => new Response(null, { status: 303, headers }) })
  const response = await fetch(url, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in'])
  expect(response.headers.getSetCookie()).toEqual(['state=1; Path=/', 'back=%2Fdashboard'])
})

/** Serves the same listener over HTTP/2, without TLS. */
const overHttp2 = async (router: Pick<Router, 'fetch'>): Promise<string> => {
  const server = createHttp2Server({}, toNodeHandler(router)).listen(0, '127.0.0.1')
  stop = () => server.close()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.each<[string, (router: Pick<Router, 'fetch'>) => Promise<string>]>([
  ['node:http', (router) => listening(toNodeHandler(router))],
  ['node:http2', overHttp2],
  ['Express', (router) => listening(express().use(toNodeHandler(router)))],
  ['Hono', ({ fetch }) => listening(getRequestListener(new Hono().all('*', (c) => fetch(c.req.raw)).fetch))],
  [
    'Fastify',
    async (router) => {
      const app = Fastify()
      app.register(toFastifyPlugin(router, { paths: ['/*'] }))
      stop = () => app.close()
      return app.listen({ port: 0, host: '127.0.0.1' })
    },
  ],
])('a stream of events, on %s,', (name, mount) => {
  const open = async (body: ReadableStream<Uint8Array>): Promise<Opened> => {
    const url = await mount({
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    })
    return name === 'node:http2' ? openHttp2(url) : openHttp1(url)
  }

  it('arrives piece by piece, and ends', async () => {
    const pieces = new TransformStream<Uint8Array, Uint8Array>()
    const writer = pieces.writable.getWriter()
    void writer.write(new TextEncoder().encode(': one\n\n'))
    const { status, body } = await open(pieces.readable)
    expect(status).toBe(200)
    const read = body[Symbol.asyncIterator]()
    expect(String((await read.next()).value)).toBe(': one\n\n')
    void writer.write(new TextEncoder().encode(': two\n\n'))
    expect(String((await read.next()).value)).toBe(': two\n\n')
    void writer.close()
    expect((await read.next()).done).toBe(true)
  })

  it('is produced no faster than the client reads, and is cancelled when the client leaves', async () => {
    const most = 4_096
    let pulled = 0
    const cancelled = new AbortController()
    const { body, leave } = await open(
      new ReadableStream({
        pull(controller) {
          pulled += 1
          if (pulled > most) controller.close()
          else controller.enqueue(new Uint8Array(65_536))
        },
        cancel: () => cancelled.abort(),
      }),
    )
    await body[Symbol.asyncIterator]().next()
    leave()
    if (!cancelled.signal.aborted) await once(cancelled.signal, 'abort')
    expect(pulled).toBeLessThan(most)
  })

  // Not tested on Hono, whose own server writes the response, and prints the error.
  if (name !== 'Hono')
    it('ends if it fails', async () => {
      const failing = new ReadableStream({
        pull: () => Promise.reject(new Error('a bug')),
      })
      await open(failing)
        .then(({ body }) => body.toArray())
        .catch(() => 'broken off')
    })
})

interface Opened {
  readonly status: unknown
  readonly body: Readable
  readonly leave: () => void
}

async function openHttp1(url: string): Promise<Opened> {
  const response = await plainly(url, {})
  return { status: response.statusCode, body: response, leave: () => response.destroy() }
}

async function openHttp2(url: string): Promise<Opened> {
  const session = connect(url)
  const body = session.request({ ':path': '/' })
  body.on('close', () => session.close())
  const headers = await new Promise<IncomingHttpHeaders>((resolve, reject) =>
    body.once('response', resolve).once('close', reject),
  )
  return { status: headers[':status'], body, leave: () => session.destroy() }
}

it('a stream that fails closes its connection even while the client reads nothing', async () => {
  let fail: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    void listening(
      toNodeHandler({
        fetch: async ({ signal }) => {
          signal.addEventListener('abort', () => resolve())
          const body = new ReadableStream({
            start(controller) {
              fail = () => controller.error(new Error('the reader takes no events'))
              controller.enqueue(new Uint8Array(20_000_000))
            },
          })
          return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
        },
      }),
    )
      .then((url) => plainly(url, {}))
      .then(() => fail())
  })
  await closed
})

it('a request that waits learns that its client has left', async () => {
  const leaving = new AbortController()
  const left = new Promise<void>((resolve) => {
    void listening(
      toNodeHandler({
        fetch: ({ signal }) => {
          signal.addEventListener('abort', () => resolve())
          leaving.abort()
          return new Promise(() => undefined)
        },
      }),
    ).then((url) => fetch(url, { signal: leaving.signal }).catch(() => undefined))
  })
  await left
})

it('the router uses only the path of a URL, because a proxy may change the host or remove a prefix', async () => {
  const { callboard, issue } = await createPlatform()
  const { token } = await issue()
  const stripped = createRouter(callboard, { openapi: { servers: [{ url: 'https://api.example.com/shop' }] } })
  const url = new URL(await listening(toNodeHandler(stripped))).origin
  const headers = ['Host', 'internal:9999', 'X-Forwarded-Host', 'api.example.com', 'X-Forwarded-Prefix', '/shop']
  const ask = async (path: string, more: string[] = []) =>
    json(await plainly(url + path, { headers: [...headers, ...more] }))
  expect(await ask('/v1/me', ['Authorization', `Bearer ${token}`])).toMatchObject({ entity: { id: 'acc_1' } })
  expect(await ask('/v1/me')).toMatchObject({ statusCode: 401, path: '/v1/me' })
  const mounted = new Hono().mount('/shop', stripped.fetch)
  expect((await mounted.request('/shop/v1/me', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
  expect(await ask('/openapi.json')).toMatchObject({ servers: [{ url: 'https://api.example.com/shop' }] })
})

/** Sends a request that `fetch` cannot send. */
async function plainly(url: string, options: { method?: string; headers?: string[] }): Promise<IncomingMessage> {
  const asked = ask(url, options).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response
}

type Http2Listener = NonNullable<Parameters<typeof createHttp2Server>[1]>

it('a NodeHandler fits the types of Express, node:http and node:http2', () => {
  expectTypeOf<NodeHandler>().toExtend<express.RequestHandler>()
  expectTypeOf<NodeHandler>().toExtend<RequestListener>()
  expectTypeOf<NodeHandler>().toExtend<Http2Listener>()
})
