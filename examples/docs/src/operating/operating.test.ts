import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { engineOf } from '@callboard/core/engine'
import { freePort, startPostgres, type TestPostgres } from '@callboard/testbed'
import { testCallboard } from '@callboard/testing'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

let postgres: TestPostgres
let env: { DATABASE_URL: string; SECRET_KEY: string; NODE_ENV: string }

beforeAll(async () => {
  postgres = await startPostgres()
  const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
  env = { DATABASE_URL: await postgres.createDatabase(), SECRET_KEY, NODE_ENV: 'development' }
  Object.assign(process.env, env)
  const { deploy } = await import('./deploy.ts')
  await deploy(env.DATABASE_URL)
  const { callboard } = await import('../start/callboard.ts')
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
})
afterAll(async () => {
  const { pool } = await import('../start/callboard.ts')
  await pool.end()
  await postgres.stop()
})

it('publishes one event if a payment is reported twice', async () => {
  const { onPayment } = await import('../publishing/publishing.ts')
  const first = await onPayment('pay_1', 'ord_1')
  expect(await onPayment('pay_1', 'ord_1')).toBe(first)
})

it('returns the deliveries of a platform’s own Callboard and code to a test', async () => {
  const { onPayment } = await import('../publishing/publishing.ts')
  const { callboard } = await import('../start/callboard.ts')
  const app = testCallboard(callboard)
  const { id } = await app.subscribe({ accountId: 'acc_1', eventTypes: ['order.paid'] })
  const eventId = await onPayment('pay_2', 'ord_9')
  const delivery = await app.delivery({ type: 'order.paid' })
  expect(delivery).toMatchObject({ state: 'delivered', event: { id: eventId, data: { order: { id: 'ord_9' } } } })
  await callboard.subscriptions.remove({ accountId: 'acc_1', id, by: 'platform' })
})

it('publishes all events of an import or none of them', async () => {
  const { importOrders } = await import('../publishing/publishing.ts')
  const { pool } = await import('../start/callboard.ts')
  const count = async () => (await pool.query('select count(*)::int as events from callboard.events')).rows[0].events
  const before = await count()
  await importOrders(['ord_2', 'ord_3'])
  expect(await count()).toBe(before + 2)
  await expect(importOrders(['ord_4', ''])).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  expect(await count()).toBe(before + 2)
})

it('creates the accounts of all customers, and the account of a new customer at the first sale', async () => {
  const { createAccounts, sellTo } = await import('../publishing/publishing.ts')
  const { callboard, pool } = await import('../start/callboard.ts')
  await pool.query(`
    create table customers (id text primary key, name text);
    insert into customers select 'cus_' || n, 'Customer ' || n from generate_series(1, 501) n`)
  for (let runs = 0; runs < 2; runs++) await createAccounts()
  expect(await callboard.accounts.find({ id: 'cus_501' })).toEqual({ id: 'cus_501', name: 'Customer 501' })
  await sellTo({ id: 'new', name: 'New' }, 'ord_7')
  await sellTo({ id: 'new', name: 'Renamed' }, 'ord_8')
  expect(await callboard.accounts.find({ id: 'new' })).toEqual({ id: 'new', name: 'New' })
})

it('retries a transaction that conflicts with another one', async () => {
  const { inTransaction } = await import('../publishing/publishing.ts')
  const { callboard, pool } = await import('../start/callboard.ts')
  let attempts = 0
  await inTransaction(async (tx) => {
    attempts += 1
    await tx.query('set transaction isolation level repeatable read')
    await tx.query('select 1 from callboard.subjects') // the snapshot begins
    const subject = { type: 'order', id: 'ord_1' }
    const data = { order: { id: 'ord_1', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } }
    const event = { accountId: 'acc_1', type: 'order.paid', subject, data } as const
    if (attempts === 1) await callboard.publish(event) // another transaction takes the subject's counter
    await callboard.publish(event, { tx })
  })
  expect(attempts).toBe(2)
  expect(pool.idleCount).toBe(pool.totalCount)
})

it('issues, rotates and revokes a key', async () => {
  const { issue, revoke, rotate } = await import('./keys.ts')
  const { callboard, router } = await import('../start/callboard.ts')
  const statusOf = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await router.fetch(new Request('https://api.example.com/v1/me', { headers }))).status
  }
  const id = await issue()
  const token = await rotate(id)
  expect(await statusOf(token)).toBe(200)
  const [newest] = (await callboard.keys.list({ accountId: 'acc_1' })).keys
  await revoke(String(newest?.id))
  expect(await statusOf(token)).toBe(401)
})

it('erases the personal data of old events and of one person', async () => {
  const { eraseOld, erasePerson } = await import('./maintenance.ts')
  await eraseOld()
  expect(await erasePerson('nobody')).toBe(true)
})

it('resends exhausted deliveries, and reports that an old secret key can be retired', async () => {
  const { resendSince, retireOldKey } = await import('./maintenance.ts')
  const { callboard } = await import('../start/callboard.ts')
  const input = { targetUrl: 'https://hooks.example.com/', eventTypes: ['order.paid'] }
  const { id } = await callboard.subscriptions.create({ accountId: 'acc_1', ...input })
  expect(await resendSince(id, new Date(0))).toBe(0)
  expect(await retireOldKey()).toBe(true)
})

it('migrates a database, and changes nothing if it is run again', async () => {
  const { deploy, grants, migrationScript } = await import('./deploy.ts')
  const url = await postgres.createDatabase()
  expect((await deploy(url)).length).toBeGreaterThan(0)
  expect(await deploy(url)).toEqual([])
  expect(await migrationScript()).toContain('-- 0001-')
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const role of ['shop', 'shop_api', 'shop_worker']) {
    const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role])
    if (rowCount === 0) await client.query(`create role ${role}`)
  }
  await client.query(grants)
  await client.end()
})

it('logs which subscription was disabled and why, but no event data', async () => {
  const { monitored } = await import('./monitored.ts')
  const { pool } = await import('../start/callboard.ts')
  const entries: object[] = []
  const callboard = monitored(pool, env.SECRET_KEY, (entry) => entries.push(entry))
  const ref = { accountId: 'acc_1', mode: 'live', id: 'sub_1', reason: 'gone' } as const
  engineOf(callboard).hooks.onSubscriptionDisabled(ref)
  expect(entries).toEqual([{ level: 'warn', message: 'subscription disabled', ...ref }])
})

it('runs a worker until it is idle, prints the report, and exits with code 0', async () => {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const entry = fileURLToPath(new URL('run-once.ts', import.meta.url))
  const run = spawn(process.execPath, [entry], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(run, 'exit')
  expect(JSON.parse(await text(run.stdout))).toMatchObject({ end: 'idle' })
  expect(await exited).toEqual([0, null])
})

it('delivers events from a scheduled function, and from the function that publishes them', async () => {
  const { deliver, pay } = await import('./serverless.ts')
  const request = (secret: string) =>
    new Request('https://shop.example.com/deliver', { headers: { authorization: `Bearer ${secret}` } })
  expect((await deliver(request('undefined'))).status).toBe(401)
  process.env['CRON_SECRET'] = 's3cret'
  expect((await deliver(request('guess'))).status).toBe(401)
  expect(await (await deliver(request('s3cret'))).json()).toMatchObject({ end: 'idle' })
  const kept: Promise<unknown>[] = []
  expect((await pay('ord_9', (work) => kept.push(work))).status).toBe(204)
  expect(await Promise.all(kept)).toMatchObject([{ end: 'idle', sequenced: 1 }])
})

it('opens a store with the options for a pooler', async () => {
  const { storeBehindPooler } = await import('./serverless.ts')
  await expect(storeBehindPooler(env.DATABASE_URL).ready()).resolves.toBeUndefined()
})

it('runs a worker that reports its health and stops on SIGTERM', async () => {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const port = String(await freePort())
  const entry = fileURLToPath(new URL('worker.ts', import.meta.url))
  const worker = spawn(process.execPath, [entry], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env, HEALTH_PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => worker.kill('SIGKILL'))
  const exited = once(worker, 'exit')
  await once(worker.stdout, 'data')
  const health = await fetch(`http://127.0.0.1:${port}/`)
  expect(health.status).toBe(200)
  expect(await health.json()).toMatchObject({ worker: { state: 'running', ok: true } })
  worker.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})
