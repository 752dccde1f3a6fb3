import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createClient } from '@callboard/client'
import { createCallboard } from '@callboard/core'
import { startWorker, type Worker } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { toNodeHandler } from '@callboard/router/node'
import { EventSource } from 'eventsource'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { issueKey, orderPaidEvent } from '../arrange.ts'
import { facadeOptions, type SampleCallboard } from '../on-each-store.ts'
import { postgresFixtures, type RealFixture } from '../stores.ts'

const newFixture = postgresFixtures()
let fixture: RealFixture
let callboard: SampleCallboard
let worker: Worker
let closing: AbortController
let server: Server

beforeAll(async () => {
  fixture = await newFixture()
  callboard = createCallboard({ ...facadeOptions(fixture), rateLimits: WIDE })
  await callboard.accounts.create({ id: 'acc', name: 'Acme' })
  worker = await startWorker(callboard)
  await serve(0)
})
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})
afterAll(async () => {
  await stopServing()
  await worker.stop()
  await fixture.cleanup()
})

const WIDE = [
  { seconds: 1, limit: 10_000 },
  { seconds: 10, limit: 10_000 },
  { seconds: 60, limit: 10_000 },
] as const

/** What each test has opened. */
const stops: (() => void)[] = []

async function listening(listener: RequestListener, port = 0): Promise<Server> {
  const opened = createServer(listener).listen(port, '127.0.0.1')
  await once(opened, 'listening')
  return opened
}

const portOf = (opened: Server): number => (opened.address() as AddressInfo).port
const feed = (opened: Server): string => `http://127.0.0.1:${portOf(opened)}/v1/events/feed`

async function serve(port: number): Promise<void> {
  closing = new AbortController()
  server = await listening(toNodeHandler(createRouter(callboard, { closing: closing.signal })), port)
}

/** Stops as a platform does: streams end, and the server waits for everything else. */
async function stopServing(): Promise<void> {
  closing.abort()
  server.close()
  await once(server, 'close')
}

const publish = async (): Promise<string> => (await callboard.publish(orderPaidEvent())).id

/** Opens a stream with the package `eventsource`, which sends the key with every connection. */
function open(token: string): { readonly source: EventSource; readonly ids: string[] } {
  const source = new EventSource(feed(server), {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
  })
  stops.push(() => source.close())
  const ids: string[] = []
  source.onmessage = ({ data }) => ids.push(JSON.parse(data).id)
  return { source, ids }
}

async function until(isDone: () => boolean): Promise<void> {
  for (let tries = 0; !isDone(); tries++) {
    if (tries > 1_500) throw new Error('waited in vain')
    await setTimeout(10)
  }
}

it('an EventSource comes back by itself when the server restarts, and misses and repeats nothing', async () => {
  const { token } = await issueKey(callboard)
  const { source, ids } = open(token)
  const published: string[] = []
  // The reader has a cursor once it has seen an event.
  while (ids.length === 0) {
    published.push(await publish())
    await setTimeout(100)
  }
  await until(() => ids.at(-1) === published.at(-1))
  const port = portOf(server)
  const reopened = new Promise((resolve) => source.addEventListener('open', resolve, { once: true }))
  await stopServing()
  for (let count = 0; count < 20; count++) published.push(await publish())
  await serve(port)
  await reopened
  published.push(await publish())
  await until(() => ids.at(-1) === published.at(-1))
  expect(ids).toEqual(published.slice(-ids.length))
  expect(ids.length).toBeGreaterThanOrEqual(22)
})

it('a stream ends when its key is revoked, and is then refused', async () => {
  const { id, token } = await issueKey(callboard)
  const { source, ids } = open(token)
  const refused = new Promise<number | undefined>((resolve) => {
    source.onerror = ({ code }) => {
      if (code !== undefined) resolve(code)
    }
  })
  while (ids.length === 0) {
    await publish()
    await setTimeout(100)
  }
  await callboard.keys.revoke({ accountId: 'acc', id })
  await setTimeout(1_100)
  const after = await publish()
  expect(await refused).toBe(401)
  expect(ids).not.toContain(after)
})

it('the client gets events although a proxy holds back streams until they end', async () => {
  const proxy = await listening((incoming, outgoing) => {
    const { url, headers } = incoming
    const forwarded = ask({ host: '127.0.0.1', port: portOf(server), path: url, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray().catch(() => []))
      outgoing.writeHead(response.statusCode ?? 502, { 'content-type': response.headers['content-type'] }).end(body)
    })
    outgoing.on('close', () => forwarded.destroy())
    forwarded.on('error', () => outgoing.destroy()).end()
  })
  stops.push(() => proxy.close().closeAllConnections())
  const { token } = await issueKey(callboard)
  const client = createClient({ baseUrl: `http://127.0.0.1:${portOf(proxy)}`, apiKey: token })
  const first = client.events.follow({ onCursor: () => begun.abort() }).next()
  const begun = new AbortController()
  if (!begun.signal.aborted) await once(begun.signal, 'abort')
  const id = await publish()
  expect((await first).value?.id).toBe(id)
})

it('a client that opens 1,000 streams gets 4, and others get theirs', async () => {
  const { token } = await issueKey(callboard)
  const connect = async (key: string): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const sent = ask(feed(server), { headers, agent: false }).end()
    stops.push(() => sent.destroy())
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
  const statuses: (number | undefined)[] = []
  const opened: IncomingMessage[] = []
  for (let count = 0; count < 10; count++) {
    const responses = await Promise.all(Array.from({ length: 100 }, () => connect(token)))
    opened.push(...responses)
    statuses.push(...responses.map(({ statusCode }) => statusCode))
  }
  expect([
    statuses.filter((status) => status === 200).length,
    statuses.filter((status) => status === 429).length,
  ]).toEqual([4, 996])
  expect((await connect((await issueKey(callboard)).token)).statusCode).toBe(200)
  for (const response of opened) response.destroy()
  // The server learns soon that the readers have left.
  let status = 429
  for (let tries = 0; status === 429 && tries < 100; tries++) status = (await connect(token)).statusCode ?? 0
  expect(status).toBe(200)
})
