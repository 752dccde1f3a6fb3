import { spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startWorker, type Worker } from '@callboard/delivery'
import { migrate } from '@callboard/store-postgres'
import { type FaultProxy, type ProxySide, startFaultProxy, startPostgres, type TestPostgres } from '@callboard/testbed'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

type Platform = typeof import('../start/callboard.ts') &
  typeof import('./switch.ts') &
  typeof import('./outbox.ts') &
  typeof import('./move-customer.ts')

/** Where the moving process is killed: when this text passes on this side for the n-th time. */
const KILLS: readonly (readonly [side: ProxySide, text: string, nth: number])[] = [
  ['client', 'for update', 1],
  ['server', 'SELECT 1', 1],
  ['client', 'update webhook_switches', 1],
  ['client', 'commit', 1],
  ['server', 'COMMIT', 1],
  ['client', 'webhook_endpoints', 1],
  ['client', 'import_subscriptions', 1],
  ['client', 'for update', 2],
  ['client', 'update webhook_switches', 2],
  ['client', 'commit', 3],
  ['server', 'COMMIT', 3],
]
const CUSTOMERS = KILLS.map((_, index) => `cus_${index}`)

let postgres: TestPostgres
let platform: Platform
let worker: Worker
let proxy: FaultProxy
let receiver: Server
let url: string
const secrets = new Map(CUSTOMERS.map((id) => [id, randomBytes(8).toString('hex')]))
/** Who has sent each order. */
const senders = new Map<string, Set<string>>()

beforeAll(async () => {
  postgres = await startPostgres()
  url = await postgres.createDatabase()
  proxy = await startFaultProxy(url)
  Object.assign(process.env, {
    DATABASE_URL: url,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    NODE_ENV: 'development',
  })
  platform = {
    ...(await import('../start/callboard.ts')),
    ...(await import('./switch.ts')),
    ...(await import('./outbox.ts')),
    ...(await import('./move-customer.ts')),
  }
  receiver = createServer(async (request, response) => {
    const body = await text(request)
    const secret = secrets.get(request.url?.slice(1) ?? '') ?? ''
    const isOld = request.headers['webhook-id'] === undefined
    const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    if (request.headers['x-shop-signature'] !== expected) return response.writeHead(400).end()
    const order: string = JSON.parse(body).data.order.id
    senders.set(order, (senders.get(order) ?? new Set()).add(isOld ? 'outbox' : 'callboard'))
    response.writeHead(204).end()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo

  const client = await platform.pool.connect()
  await migrate(client)
  const tables = await readFile(new URL('./tables.sql', import.meta.url), 'utf8')
  const [own = '', switches = ''] = tables.split('-- #region switches')
  await client.query(own)
  for (const id of CUSTOMERS) {
    await client.query('insert into customers values ($1, $1)', [id])
    await client.query(
      `insert into webhook_endpoints (id, customer_id, url, secret, events) values ('end_' || $1, $1, $2, $3, '{order.paid}')`,
      [id, `http://127.0.0.1:${port}/${id}`, secrets.get(id)],
    )
  }
  await client.query(switches)
  client.release()
  worker = await startWorker(platform.callboard)
})

afterAll(async () => {
  await worker?.stop()
  await platform?.pool.end()
  await proxy?.stop()
  receiver?.close()
  await postgres?.stop()
})

/** Without compiled code, a start takes three times as long. */
const cache = fileURLToPath(new URL('../../.generated/compile-cache', import.meta.url))

/** Runs the program that moves customers; with a kill, until it is killed there. Returns its exit code. */
async function move(customers: readonly string[], kill?: (typeof KILLS)[number]): Promise<number | null> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('move-customers.ts', import.meta.url)), ...customers], {
    env: { ...process.env, DATABASE_URL: proxy.through(url), NODE_COMPILE_CACHE: cache },
    stdio: 'inherit',
  })
  const ended = once(child, 'exit')
  if (kill !== undefined) {
    const [side, wanted, nth] = kill
    let seen = 0
    const cut = proxy.cutWhen(side, (bytes) => bytes.includes(wanted) && ++seen === nth && child.kill('SIGKILL'))
    await Promise.race([cut, ended])
  }
  const [code] = await ended
  return code
}

it('sends each event once, by the old sender or by Callboard, while customers move and the move is killed', async () => {
  const { pool, publishEvent, sendOutbox, moveBack } = platform
  const committed = new Set<string>()
  let stopped = false

  const sell = async (customer: string, id: string, isolation: string): Promise<void> => {
    const tx: PoolClient = await pool.connect()
    try {
      await tx.query(`begin isolation level ${isolation}`)
      await tx.query('select 1 from customers') // takes the snapshot of a repeatable read
      const data = { order: { id, buyer: { entity_id: 'per_1', email: 'ada@example.com' } } }
      await publishEvent(tx, { customerId: customer, event: 'order.paid', data })
      await tx.query('select pg_sleep(0.01)')
      const fails = Math.random() < 0.1
      await tx.query(fails ? 'rollback' : 'commit')
      if (!fails) committed.add(id)
    } catch (error) {
      await tx.query('rollback')
      if (!/could not serialize|TRANSACTION_CONFLICT/.test(`${error}`)) throw error
    } finally {
      tx.release()
    }
  }
  let orders = 0
  const publishers = ['read committed', 'read committed', 'read committed', 'repeatable read'].map(
    async (isolation) => {
      while (!stopped) {
        const number = orders++
        await sell(CUSTOMERS[number % CUSTOMERS.length] ?? '', `ord_${number}`, isolation)
      }
    },
  )
  const cron = (async () => {
    while (!stopped) if ((await sendOutbox(pool)) === 0) await new Promise((done) => setTimeout(done, 20))
  })()

  for (const [index, kill] of KILLS.entries()) {
    expect(await move([CUSTOMERS[index] ?? ''], kill), `killed: ${kill}`).toBeNull()
  }
  expect(await move(CUSTOMERS)).toBe(0)
  const { rows } = await pool.query('select sender, count(*)::int from webhook_switches group by 1')
  expect(rows).toEqual([{ sender: 'callboard', count: CUSTOMERS.length }])
  await moveBack(CUSTOMERS[0] ?? '')
  const before = orders
  await expect.poll(() => orders).toBeGreaterThan(before + 3 * CUSTOMERS.length)
  expect(await move(CUSTOMERS)).toBe(0)

  stopped = true
  await Promise.all([...publishers, cron])
  while ((await sendOutbox(pool)) > 0);
  await expect.poll(() => [...committed].filter((id) => !senders.has(id)), { timeout: 30_000 }).toEqual([])
  const counts = { outbox: 0, callboard: 0, both: 0 }
  for (const by of senders.values()) counts[by.size > 1 ? 'both' : by.has('outbox') ? 'outbox' : 'callboard']++
  expect(counts.both).toBe(0)
  expect(counts.outbox).toBeGreaterThan(100)
  expect(counts.callboard).toBeGreaterThan(100)
  expect([...senders.keys()].filter((id) => !committed.has(id))).toEqual([])
})

it('flips only after each open transaction that goes to the outbox, so the outbox can then be emptied for good', async () => {
  const { pool, publishEvent, sendOutbox, moveBack, flip } = platform
  const [customer = ''] = CUSTOMERS
  await moveBack(customer)
  const tx = await pool.connect()
  await tx.query('begin')
  const data = { order: { id: 'ord_late', buyer: { entity_id: 'per_1', email: 'ada@example.com' } } }
  await publishEvent(tx, { customerId: customer, event: 'order.paid', data })
  const flipped = flip(pool, customer, { from: ['outbox'], to: 'callboard' })
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%webhook_switches%for update'`
  await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1)
  await tx.query('commit')
  tx.release()
  expect(await flipped).toBe(true)
  expect(await sendOutbox(pool)).toBe(1)
  expect(senders.get('ord_late')).toEqual(new Set(['outbox']))
})
