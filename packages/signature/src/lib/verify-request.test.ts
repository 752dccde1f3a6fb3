import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono, type HonoRequest } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { generateSecret, sign } from '../index.ts'
import {
  type LambdaEvent,
  verifyRequest,
  type WebhookRefusedError,
  type WebhookRequest,
  WebhookVerificationError,
} from '../request.ts'

const secret = generateSecret()
const event = { id: 'evt_1', type: 'order.paid', data: { order: { id: 'ord_1', note: 'Zoë – 5 €' } } }
/** Differs from the output of `JSON.stringify`, so that a body that was parsed and serialised again does not match. */
const body = `${JSON.stringify(event, undefined, 3).replace('ë', '\\u00eb')}\n`

/** The response of every server in this file: the event, or the code and message of the refusal. */
async function answerTo(request: WebhookRequest): Promise<{ status: number; text: string }> {
  try {
    return { status: 200, text: JSON.stringify(await verifyRequest(request, { secret, maxBytes: 10_000 })) }
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return { status: error.code === 'BODY_INVALID' ? 500 : 400, text: `${error.code}: ${error.message}` }
  }
}

let stop: (() => unknown) | undefined
afterEach(() => stop?.())

async function listening(server: Server): Promise<string> {
  stop = () => server.close()
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

/** Starts Express 5, with this middleware before the route, and returns the address of the route. */
function onExpress(...before: express.RequestHandler[]): Promise<string> {
  const app = express()
  app.post('/hooks', ...before, async (request, response) => {
    const { status, text } = await answerTo(request)
    response.status(status).send(text)
  })
  return listening(createServer(app))
}

/** Starts Fastify 5, with a parser for JSON bodies, and returns the address of the route. */
async function onFastify(parse?: 'buffer' | 'string' | 'leave'): Promise<string> {
  const app = Fastify()
  if (parse === 'leave') app.addContentTypeParser('application/json', (_, payload, done) => done(null, payload))
  else if (parse !== undefined)
    app.addContentTypeParser('application/json', { parseAs: parse }, (_, raw, done) => done(null, raw))
  app.post('/hooks', async (request, reply) => {
    const { status, text } = await answerTo(request)
    return reply.status(status).send(text)
  })
  stop = () => app.close()
  return `${await app.listen({ port: 0, host: '127.0.0.1' })}/hooks`
}

/** Starts Hono. `give` turns `c.req` into the request that is passed to `verifyRequest`. */
function onHono(give: (request: HonoRequest) => Promise<WebhookRequest>) {
  const app = new Hono()
  app.post('/hooks', async (c) => {
    const { status, text } = await answerTo(await give(c.req))
    return new Response(text, { status })
  })
  return onServe(app.fetch)
}

/** A handler that takes a `Request`, as in Next, Bun, Deno and workers. */
async function onServe(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }) as Server
  await once(server, 'listening')
  return listening(server)
}

const onRequest = (give: (request: Request) => Promise<WebhookRequest>): Promise<string> =>
  onServe(async (request) => {
    const { status, text } = await answerTo(await give(request))
    return new Response(text, { status })
  })

async function headersOf(text: string | Uint8Array, id = event.id): Promise<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = await sign({ id, timestamp, body: text, secret })
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  }
}

async function post(url: string, headers: Record<string, string>, sent: BodyInit = body) {
  const response = await fetch(url, { method: 'POST', headers, body: sent })
  return { status: response.status, text: await response.text() }
}

describe.each([
  ['Express with express.raw()', () => onExpress(express.raw({ type: 'application/json' }))],
  ['Express with express.text()', () => onExpress(express.text({ type: 'application/json' }))],
  ['Express with no parser', () => onExpress()],
  [
    'Express with express.json() that keeps the bytes',
    () => onExpress(express.json({ verify: (request, _, raw) => void Object.assign(request, { rawBody: raw }) })),
  ],
  ['Fastify with a parser that returns bytes', () => onFastify('buffer')],
  ['Fastify with a parser that returns a string', () => onFastify('string')],
  ['Fastify with a parser that leaves the stream', () => onFastify('leave')],
  ['Hono with c.req', () => onHono(async (request) => request)],
  ['Hono with c.req.raw', () => onHono(async (request) => request.raw)],
  ['Hono with a c.req that was parsed before', () => onHono(async (request) => request.json().then(() => request))],
  ['a plain Request', () => onRequest(async (request) => request)],
  [
    "Node's own server",
    () =>
      listening(
        createServer(async (request, response) => {
          const { status, text } = await answerTo(request)
          response.writeHead(status).end(text)
        }),
      ),
  ],
])('verifyRequest on %s', (_, start) => {
  it('returns the event of a correctly signed request', async () => {
    const url = await start()
    const { status, text } = await post(url, await headersOf(body))
    expect(status, text).toBe(200)
    expect(JSON.parse(text)).toEqual(event)
  })

  it('refuses a wrong signature and a missing signature', async () => {
    const url = await start()
    const headers = await headersOf(body)
    const forged = await post(url, headers, body.replace('ord_1', 'ord_2'))
    expect(forged).toMatchObject({ status: 400, text: expect.stringMatching(/^SIGNATURE_MISMATCH/) })
    const { 'webhook-signature': _signature, ...unsigned } = headers
    expect(await post(url, unsigned)).toMatchObject({ status: 400, text: expect.stringMatching(/^HEADER_MISSING/) })
  })
})

describe.each([
  ['Express with express.json()', () => onExpress(express.json())],
  ['Fastify with its own parser', () => onFastify()],
  ['a Request that was read before', () => onRequest(async (request) => request.json().then(() => request))],
  ["Hono's c.req.raw that was read before", () => onHono(async (request) => request.json().then(() => request.raw))],
  [
    "Hono's c.req whose raw request was read before",
    () => onHono(async (request) => request.raw.json().then(() => request)),
  ],
  [
    'a Node request that was read before',
    () =>
      onExpress(async (request, _, next) => {
        for await (const _ of request);
        next()
      }),
  ],
])('verifyRequest on %s', (_, start) => {
  it('says that the raw body is lost, and how to keep it', async () => {
    const { status, text } = await post(await start(), await headersOf(body))
    expect(status).toBe(500)
    expect(text).toMatch(/^BODY_INVALID: .*express\.raw\(.*addContentTypeParser\(/)
    expect(text).not.toContain('ord_1')
  })
})

describe.each([
  [
    'Express',
    (key: string) => {
      const app = express()
      // Keeps the default error handler of Express from printing the stack trace.
      app.set('env', 'test')
      app.post('/hooks', async (request, response) => void response.json(await verifyRequest(request, { secret: key })))
      return listening(createServer(app))
    },
  ],
  [
    'Fastify',
    async (key: string) => {
      const app = Fastify()
      app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, raw, done) => done(null, raw))
      app.post('/hooks', (request) => verifyRequest(request, { secret: key }))
      stop = () => app.close()
      return `${await app.listen({ port: 0, host: '127.0.0.1' })}/hooks`
    },
  ],
  [
    'Hono',
    (key: string) => {
      const app = new Hono()
      app.post('/hooks', async (c) => c.json(await verifyRequest(c.req, { secret: key })))
      return onServe(app.fetch)
    },
  ],
])('an error of verifyRequest that nobody catches on %s', (_, start) => {
  it('is answered with 400 when the sender is to blame', async () => {
    const url = await start(secret)
    const forged = await post(url, await headersOf(body), body.replace('ord_1', 'ord_2'))
    expect(forged.status).toBe(400)
    expect((await post(url, {})).status).toBe(400)
    expect((await post(url, await headersOf(body))).status).toBe(200)
  })

  it('is answered with 500 and logged when the receiver is to blame', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    expect((await post(await start(''), await headersOf(body))).status).toBe(500)
    logged.mockRestore()
  })
})

describe('verifyRequest', () => {
  it('rejects with an error whose getResponse() contains the code, but nothing from the request', async () => {
    const forged = new Request('https://receiver.example', { method: 'POST', headers: await headersOf('x'), body })
    const error = await verifyRequest(forged, { secret }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(WebhookVerificationError)
    const answer = (error as WebhookRefusedError).getResponse()
    expect([answer.status, await answer.text()]).toEqual([400, 'SIGNATURE_MISMATCH'])
  })

  const request = async (text: string, id?: string): Promise<Request> =>
    new Request('https://receiver.example', { method: 'POST', headers: await headersOf(text, id), body: text })

  it.each(['null', '"order.paid"', '{"type":"order.paid"}', '{"id":"evt_1"}', '{"id":"evt_2","type":"order.paid"}'])(
    'refuses a correctly signed body that is not the event of webhook-id: %s',
    async (text) => {
      await expect(verifyRequest(await request(text), { secret })).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
    },
  )

  it('stops reading a stream after maxBytes, and cancels the stream', async () => {
    let pulled = 0
    let cancelled = false
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(1000))
      },
      cancel() {
        cancelled = true
      },
    })
    const request = { headers: await headersOf('x'), body }
    await expect(verifyRequest(request, { secret, maxBytes: 1500 })).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
    expect(pulled).toBeLessThan(5)
    expect(cancelled).toBe(true)
  })

  it('refuses a request that breaks off', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    const request = { headers: await headersOf('x'), body }
    await expect(verifyRequest(request, { secret })).rejects.toMatchObject({ code: 'BODY_INCOMPLETE' })
  })

  it('does not read the body of a request without a signature', async () => {
    const unsigned = new Request('https://receiver.example', { method: 'POST', body: 'hello' })
    await expect(verifyRequest(unsigned, { secret })).rejects.toMatchObject({ code: 'HEADER_MISSING' })
    expect(unsigned.bodyUsed).toBe(false)
  })

  it('refuses an empty body, because the signature does not match', async () => {
    const empty = new Request('https://receiver.example', { method: 'POST', headers: await headersOf('x') })
    await expect(verifyRequest(empty, { secret })).rejects.toMatchObject({ code: 'SIGNATURE_MISMATCH' })
  })

  it('accepts several secrets and the options tolerance and now, like verify', async () => {
    const now = new Date(Date.now() + 400_000)
    await expect(verifyRequest(await request(body), { secret, now })).rejects.toMatchObject({
      code: 'TIMESTAMP_TOO_OLD',
    })
    const both = [generateSecret(), secret]
    expect(await verifyRequest(await request(body), { secret: both, now, tolerance: 500 })).toEqual(event)
  })

  it('accepts the request of a serverless platform: a string body, and a plain object of headers', async () => {
    expect(await verifyRequest({ headers: await headersOf(body), body }, { secret })).toEqual(event)
  })
})

describe('verifyRequest on AWS Lambda', () => {
  const base64 = Buffer.from(body).toString('base64')
  /** Headers with capitals, as API Gateway v1 passes them. */
  const capitals = async (headers: Promise<Record<string, string>>) =>
    Object.fromEntries(Object.entries(await headers).map(([name, value]) => [name.toUpperCase(), value]))
  const lists = async (headers: Promise<Record<string, string>>) =>
    Object.fromEntries(Object.entries(await headers).map(([name, value]) => [name, [value]]))

  it.each<[string, (headers: Promise<Record<string, string>>) => Promise<Partial<LambdaEvent>>]>([
    [
      'API Gateway v1',
      async (headers) => ({ headers: await capitals(headers), multiValueHeaders: await lists(headers) }),
    ],
    ['API Gateway v2 or a function URL', async (headers) => ({ headers: await headers })],
    ['ALB', async (headers) => ({ headers: await headers })],
    ['ALB that passes repeated headers', async (headers) => ({ multiValueHeaders: await lists(headers) })],
  ])('returns the event behind %s, whether or not the body is base64', async (_, shape) => {
    const given = await shape(headersOf(body))
    for (const sent of [
      { body: base64, isBase64Encoded: true },
      { body, isBase64Encoded: false },
    ])
      expect(await verifyRequest({ ...given, ...sent }, { secret })).toEqual(event)
  })

  it('accepts a body that a middleware has decoded, and refuses one that it has parsed', async () => {
    const headers = await headersOf(body)
    expect(await verifyRequest({ headers, body, isBase64Encoded: true }, { secret })).toEqual(event)
    const parsed = verifyRequest({ headers, body: event, isBase64Encoded: true }, { secret })
    await expect(parsed).rejects.toMatchObject({ code: 'BODY_INVALID' })
  })

  it('refuses another body, no body and no headers', async () => {
    const headers = await headersOf(body)
    const forged = Buffer.from(body.replace('ord_1', 'ord_2')).toString('base64')
    for (const sent of [{ body: forged }, { body: base64.slice(4) }, { body: null }, {}])
      await expect(verifyRequest({ headers, ...sent, isBase64Encoded: true }, { secret })).rejects.toMatchObject({
        statusCode: 400,
        code: 'SIGNATURE_MISMATCH',
      })
    const without = verifyRequest({ headers: null, body: base64, isBase64Encoded: true }, { secret })
    await expect(without).rejects.toMatchObject({ code: 'HEADER_MISSING' })
  })
})
