import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { createCallboard, defineCatalog } from '@callboard/core'
import { verify } from '@callboard/signature'
import { createPostgresStore } from '@callboard/store-postgres'
import { freePort, startPostgres, type TestPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildNextApp, type NextApp } from './next-app.ts'

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')

let app: NextApp
let postgres: TestPostgres
let receiver: Server
let standalone: string

beforeAll(async () => {
  receiver = createServer().listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  ;[app, postgres, standalone] = await Promise.all([
    buildNextApp(),
    startPostgres(),
    mkdtemp(join(tmpdir(), 'callboard-standalone-')),
  ])
}, 300_000)
afterAll(async () => {
  receiver.close()
  await Promise.all([app?.remove(), postgres?.stop(), rm(standalone, { recursive: true, force: true })])
})

/** Starts a server of Next and resolves once it takes requests. Throws with its output if it ends before that. */
async function startNext(url: string, command: readonly string[]) {
  const { PATH = '', HOME = '' } = process.env
  // With `development`, the example also delivers to this machine.
  const env = { PATH, HOME, DATABASE_URL: url, SECRET_KEY, NODE_ENV: 'development' as const }
  const address = { HOSTNAME: '127.0.0.1', PORT: String(await freePort()) }
  const child = spawn(process.execPath, command, {
    env: { ...env, ...address, NEXT_TELEMETRY_DISABLED: '1', NEXT_MANUAL_SIG_HANDLE: 'true' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const said: string[] = []
  for await (const line of createInterface(child.stdout)) {
    said.push(line)
    if (!line.includes('Ready')) continue
    const base = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(said.join('\n'))?.[0]
    if (base !== undefined) return { base, child, exited }
  }
  throw new Error(`Next did not start:\n${said.join('\n')}`)
}

/** A facade on the same database, as an operator's program would create it. */
function openPlatform(url: string) {
  const pool = new Pool({ connectionString: url })
  const callboard = createCallboard({
    catalog: defineCatalog({ version: '2026-10-01', types: [] }),
    store: createPostgresStore({ pool }),
    secretKeys: { current: 'k1', keys: { k1: SECRET_KEY } },
  })
  return { pool, callboard }
}

describe('the example for Next, built and started from the packages as published', () => {
  it('serves the API beside its own routes, delivers its events, and stops its worker on SIGTERM', async () => {
    const url = await postgres.createDatabase()
    const { base, child, exited } = await startNext(url, app.command('start', '--hostname', '127.0.0.1'))
    expect(await (await fetch(`${base}/v1/me`)).json()).toMatchObject({ statusCode: 401, path: '/v1/me' })
    expect((await fetch(`${base}/openapi.json`)).status).toBe(200)

    const { pool, callboard } = openPlatform(url)
    await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
    const scopes = ['webhooks.read', 'webhooks.write', 'people.read'] as const
    const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'test', scopes })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    expect((await fetch(`${base}/v1/me`, { method: 'HEAD', headers })).status).toBe(200)
    expect((await fetch(`${base}/v1/me`, { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS')

    const { port } = receiver.address() as AddressInfo
    const created = await fetch(`${base}/v1/webhooks/subscriptions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        targetUrl: `http://127.0.0.1:${port}/`,
        eventTypes: ['order.paid'],
        integration: 'other',
      }),
    })
    expect(created.status).toBe(201)
    const { id, secret } = (await created.json()) as { id: string; secret: string }

    const arrived = once(receiver, 'request')
    const sold = await fetch(`${base}/orders`, { method: 'POST', headers, body: '{"email":"ada@example.com"}' })
    expect(sold.status).toBe(201)
    const order = await sold.json()
    const [request, response] = await arrived
    const { payload } = await verify({ body: await buffer(request), headers: request.headers, secret })
    expect(payload).toMatchObject({ type: 'order.paid', data: { order } })

    // The delivery in flight was settled before the exit. Next's own signal handler would have exited with 143 without
    // waiting for it.
    child.kill('SIGTERM')
    response.end()
    expect(await exited).toEqual([0, null])
    const { deliveries } = await callboard.deliveries.list({ subscriptionId: id, accountId: 'acc_1', mode: 'live' })
    expect(deliveries).toMatchObject([{ state: 'delivered' }])
    await pool.end()
  })

  it("migrates, publishes and serves the API from the folder of output: 'standalone' alone", async () => {
    const url = await postgres.createDatabase()
    const { base, child, exited } = await startNext(url, [await app.copyStandalone(standalone)])
    expect((await fetch(`${base}/v1/me`)).status).toBe(401)

    const { pool, callboard } = openPlatform(url)
    await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
    const sold = await fetch(`${base}/orders`, { method: 'POST', body: '{"email":"ada@example.com"}' })
    const order = await sold.json()
    const { token } = await callboard.keys.issue({
      accountId: 'acc_1',
      name: 'test',
      scopes: ['webhooks.read', 'people.read'],
    })
    const read = async () => {
      const response = await fetch(`${base}/v1/events`, { headers: { authorization: `Bearer ${token}` } })
      return (await response.json()).data
    }
    // The app's own worker gives the event its position.
    await expect.poll(read).toMatchObject([{ type: 'order.paid', data: { order } }])

    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    await pool.end()
  })
})
