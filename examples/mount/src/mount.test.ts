import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as ask, createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createCallboard, defineCatalog } from '@callboard/core'
import { RUNTIMES } from '@callboard/runtimes'
import { verify } from '@callboard/signature'
import { createPostgresStore } from '@callboard/store-postgres'
import { freePort, startPostgres, type TestPostgres } from '@callboard/testbed'
import { build } from 'esbuild'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
const node = { name: 'Node', command: process.execPath, args: [] as readonly string[] }
const runtime = (name: 'Bun' | 'Deno') => RUNTIMES.find((each) => each.name === name) ?? node

let postgres: TestPostgres
let receiver: Server

beforeAll(async () => {
  postgres = await startPostgres()
  receiver = createServer().listen(0, '127.0.0.1')
  await once(receiver, 'listening')
})
afterAll(async () => {
  receiver.close()
  await postgres.stop()
})

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Issues a key as the platform would, with the same database and secrets. */
async function issueKey(url: string): Promise<string> {
  const pool = new Pool({ connectionString: url })
  const callboard = createCallboard({
    catalog: defineCatalog({ version: '2026-10-01', types: [] }),
    store: createPostgresStore({ pool }),
    secretKeys: { current: 'k1', keys: { k1: SECRET_KEY } },
  })
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const scopes = ['webhooks.read', 'webhooks.write', 'people.read'] as const
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'test', scopes })
  await pool.end()
  return token
}

const json = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
const subscription = () => ({
  targetUrl: `http://127.0.0.1:${portOf(receiver)}/`,
  eventTypes: ['order.paid'],
  integration: 'other',
})

/** Sends the head of a request that `fetch` cannot send, and returns the response. */
function plainly(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${head}Connection: close\r\n\r\n`)
  return text(socket)
}

/**
 * Opens a stream of the feed, and reads up to the message that says where it starts. It has a connection of its own,
 * because `fetch` would connect again after it left, and the server waits for that.
 */
async function openFeed(url: string, headers: Record<string, string>): Promise<AsyncGenerator<string, never>> {
  const opened = ask(url, { headers: { ...headers, accept: 'text/event-stream' }, agent: false }).end()
  const [response] = await once(opened, 'response')
  const messages = messagesOf(response)
  let first = await messages.next()
  while (!first.value.startsWith('id: ')) first = await messages.next()
  return messages
}

async function* messagesOf(stream: IncomingMessage): AsyncGenerator<string, never> {
  let received = ''
  for await (const piece of stream.setEncoding('utf8')) {
    received += piece
    for (let end = received.indexOf('\n\n'); end >= 0; end = received.indexOf('\n\n')) {
      yield received.slice(0, end)
      received = received.slice(end + 2)
    }
  }
  throw new Error(`the stream ended after: ${received}`)
}

/** Reads up to the first event, and then leaves. */
async function firstEventOf(messages: AsyncGenerator<string, never>): Promise<unknown> {
  for await (const message of messages) {
    const data = /^data: (.+)$/m.exec(message)?.[1]
    if (data !== undefined) return JSON.parse(data)
  }
}

/** Builds the example for Nest, because Node does not run decorators. */
async function buildNest(): Promise<string> {
  const outfile = fileURLToPath(new URL('../.generated/nest.js', import.meta.url))
  const entry = fileURLToPath(new URL('nest/main.ts', import.meta.url))
  await build({ entryPoints: [entry], outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' })
  return outfile
}

const FINISHED = [0, null]
/** Nest ends its process with the signal that it got. */
const SIGNALLED = [null, 'SIGTERM']

describe.each([
  ['express', node, FINISHED],
  ['fastify', node, FINISHED],
  ['hono', node, FINISHED],
  ['nest', node, SIGNALLED],
  ['node', node, FINISHED],
  ['bun', runtime('Bun'), FINISHED],
  ['deno', runtime('Deno'), FINISHED],
])('the example for %s', (name, { command, args }, end) => {
  it('serves the API next to its own routes, delivers an event for each sale, and stops on SIGTERM', async () => {
    const [url, port] = [await postgres.createDatabase(), await freePort()]
    const entry = name === 'nest' ? await buildNest() : fileURLToPath(new URL(`${name}.ts`, import.meta.url))
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
    const example = spawn(command, [...args, entry], {
      env: {
        PATH,
        HOME,
        NODE_COMPILE_CACHE,
        DATABASE_URL: url,
        SECRET_KEY,
        PORT: String(port),
        NODE_ENV: 'development',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    process.once('exit', () => example.kill('SIGKILL'))
    const exited = once(example, 'exit')
    await Promise.race([
      new Promise((ready) => example.stdout.on('data', (text) => String(text).includes('ready') && ready(text))),
      exited.then(([code]) => Promise.reject(new Error(`exit ${code}`))),
    ])
    const base = `http://127.0.0.1:${port}`

    expect((await fetch(`${base}/openapi.json`)).status).toBe(200)
    expect(await (await fetch(`${base}/v1/me`)).json()).toMatchObject({ statusCode: 401, path: '/v1/me' })
    expect(await plainly(port, 'GET /v1/me HTTP/1.0\r\n')).toMatch(/^HTTP\/1\.[01] 401 /)
    const refused = await plainly(port, 'TRACE /v1/me HTTP/1.1\r\nHost: a\r\n')
    expect(refused).toMatch(/^HTTP\/1\.1 405 .*\r\nallow: GET, HEAD, OPTIONS\r\n/is)
    const headers = json(await issueKey(url))
    expect(await (await fetch(`${base}/v1/me`, { headers })).json()).toMatchObject({ entity: { id: 'acc_1' } })

    const created = await fetch(`${base}/v1/webhooks/subscriptions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(subscription()),
    })
    expect(created.status).toBe(201)
    const { id, secret } = (await created.json()) as { id: string; secret: string }

    const feed = await openFeed(`${base}/v1/events/feed`, headers)
    const arrived = once(receiver, 'request')
    const sold = await fetch(`${base}/orders`, { method: 'POST', headers, body: '{"email":"ada@example.com"}' })
    expect(sold.status).toBe(201)
    const order = await sold.json()
    const [request, response] = await arrived
    const { payload } = await verify({ body: await buffer(request), headers: request.headers, secret })
    response.end()
    expect(payload).toMatchObject({ type: 'order.paid', data: { order } })
    expect(await firstEventOf(feed)).toEqual(payload)

    const removed = await fetch(`${base}/v1/webhooks/subscriptions/${id}`, { method: 'DELETE', headers })
    expect(removed.status).toBe(204)
    await openFeed(`${base}/v1/events/feed`, headers) // open when the server is to stop
    example.kill('SIGTERM')
    expect(await exited).toEqual(end)
  })
})

describe('the route handler for Next', () => {
  it('passes requests of every method to the router', async () => {
    const url = await postgres.createDatabase()
    Object.assign(process.env, { DATABASE_URL: url, SECRET_KEY })
    const route = await import('./next/app/v1/[...path]/route.ts')
    const { pool } = await import('./callboard.ts')
    const headers = json(await issueKey(url))
    const ask = (path: string, init: RequestInit = {}) =>
      new Request(`http://localhost:3000${path}`, { headers, ...init })

    expect((await route.GET(ask('/v1/me'))).status).toBe(200)
    expect(await (await route.HEAD(ask('/v1/me', { method: 'HEAD' }))).text()).toBe('')
    expect((await route.OPTIONS(ask('/v1/me', { method: 'OPTIONS' }))).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    const body = JSON.stringify({ ...subscription(), targetUrl: 'https://hooks.example.com/' })
    const created = await route.POST(ask('/v1/webhooks/subscriptions', { method: 'POST', body }))
    expect(created.status).toBe(201)
    const { id } = (await created.json()) as { id: string }
    const removed = await route.DELETE(ask(`/v1/webhooks/subscriptions/${id}`, { method: 'DELETE' }))
    expect(removed.status).toBe(204)
    await pool.end()
  })

  it("is the code that the router's README shows", () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
    // The paths of imports are left out of the comparison: the README has `callboard.ts` in the app's folder, but here
    // it is in the parent folder.
    const linesOf = (source: string) => source.replace(/(?:\.\.?\/)+callboard|\.ts(?=')/g, '').split('\n')
    const [shown = ''] = /^## In Next$.*?(?=^## )/ms.exec(read('../../../packages/router/README.md')) ?? []
    const blocks = [...shown.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => linesOf(block.trim()))
    const files = ['app/v1/[...path]/route.ts', 'app/openapi.json/route.ts', 'instrumentation.ts']
    for (const [index, file] of files.entries())
      expect(linesOf(read(`next/${file}`).trim()).filter((line) => !/^ *(\/\/|\/?\*)/.test(line))).toEqual(
        blocks[index],
      )
    expect(blocks).toHaveLength(files.length)
  })
})
