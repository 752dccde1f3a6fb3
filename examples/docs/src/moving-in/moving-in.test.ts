import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startWorker, type Worker } from '@callboard/delivery'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, expect, it } from 'vitest'

const page = readFileSync(new URL('../../../../docs/moving-in.md', import.meta.url), 'utf8')
/** The commands of the page that run Callboard's command line, in order. */
const COMMANDS = [...page.matchAll(/^npx callboard ([^#\n]*)/gm)].map(([, words = '']) => words.trim().split(/ +/))

let postgres: TestPostgres
let platform: typeof import('../start/callboard.ts') &
  typeof import('./move-customer.ts') &
  typeof import('./switch.ts')
let worker: Worker
let receiver: Server
let folder: string
let base: string
const received: { readonly path: string; readonly signed: boolean; readonly body: string }[] = []
const secretOf = (path: string): string => `s3cret${path}`

beforeAll(async () => {
  postgres = await startPostgres()
  folder = await mkdtemp(join(tmpdir(), 'callboard-moving-in-'))
  Object.assign(process.env, {
    DATABASE_URL: await postgres.createDatabase(),
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    NODE_ENV: 'development',
  })
  platform = {
    ...(await import('../start/callboard.ts')),
    ...(await import('./move-customer.ts')),
    ...(await import('./switch.ts')),
  }
  receiver = createServer(async (request, response) => {
    const body = await text(request)
    const path = request.url ?? ''
    const expected = `sha256=${createHmac('sha256', secretOf(path)).update(body).digest('hex')}`
    received.push({ path, signed: request.headers['x-shop-signature'] === expected, body })
    response.writeHead(204).end()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})

afterAll(async () => {
  await worker?.stop()
  await platform?.pool.end()
  receiver?.close()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function run(file: string, args: readonly string[], input = ''): Promise<{ code: number; stdout: string }> {
  const child = spawn(process.execPath, [file, ...args], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout: stdout + stderr }
}

const config = fileURLToPath(new URL('../start/callboard.config.ts', import.meta.url))
const cli = (args: readonly string[], input?: string) =>
  run(fileURLToPath(new URL('./main.ts', import.meta.resolve('callboard'))), [...args, '--config', config], input)

it('moves 200 endpoints by the commands of docs/moving-in.md, whose receivers verify with their old secrets', async () => {
  const { pool, callboard, publishEvent, moveCustomer } = platform
  const tables = await readFile(new URL('tables.sql', import.meta.url), 'utf8')
  const [own = '', switches = ''] = tables.split('-- #region switches')
  await pool.query(own)
  await pool.query("insert into customers select 'cus_' || n, 'Customer ' || n from generate_series(1, 20) n")
  await pool.query(
    `insert into webhook_endpoints (id, customer_id, url, secret, events, created_at)
     select 'end_' || n, 'cus_' || (n % 20 + 1), $1 || '/end_' || n, 's3cret/end_' || n, '{order.paid}', now() - interval '1 year'
     from generate_series(1, 200) n`,
    [base],
  )
  await pool.query(switches)

  const outputs: string[] = []
  for (const words of COMMANDS) {
    if (words.includes('endpoints.jsonl') && words.includes('--dry-run')) {
      const sql = await readFile(new URL('own-endpoints.sql', import.meta.url), 'utf8')
      const { rows } = await pool.query({ text: sql, rowMode: 'array' })
      await writeFile(join(folder, 'endpoints.jsonl'), rows.map(([row]) => `${JSON.stringify(row)}\n`).join(''))
    }
    if (words[0] === 'status') {
      for (let customer = 1; customer <= 20; customer++) await moveCustomer(`cus_${customer}`)
      worker = await startWorker(callboard)
      const tx = await pool.connect()
      for (let customer = 1; customer <= 20; customer++) {
        await tx.query('begin')
        const data = { order: { id: `ord_${customer}`, buyer: { entity_id: 'per_1', email: 'ada@example.com' } } }
        await publishEvent(tx, { customerId: `cus_${customer}`, event: 'order.paid', data })
        await tx.query('commit')
      }
      tx.release()
      await expect.poll(() => received.length, { timeout: 30_000 }).toBe(200)
    }
    const { code, stdout } = await cli(words)
    expect(code, `${words.join(' ')}: ${stdout}`).toBe(0)
    outputs.push(stdout)
  }
  expect(outputs.join('')).toContain('A dry run, which stored nothing: 20 imported, 200 unchecked.')
  expect(received.filter(({ signed }) => !signed)).toEqual([])
  expect(new Set(received.map(({ path }) => path)).size).toBe(200)
  expect(received.filter(({ body }) => body.includes('ada@example.com'))).toEqual([]) // not without a scope
})

const type = ['order.paid']
const whsec = `whsec_${Buffer.alloc(24, 5).toString('base64')}`
const at = '2024-01-02T03:04:05.123456Z'

it.each([
  [
    'from-svix.ts',
    {
      app: { id: 'app_1', uid: 'svix_a', name: 'Ada', createdAt: at, updatedAt: at, metadata: {} },
      endpoints: [
        {
          ...{ id: 'ep_1', uid: 'svix_1', url: 'https://example.com/1', description: 'ERP', filterTypes: type },
          ...{
            disabled: false,
            channels: null,
            rateLimit: null,
            metadata: {},
            version: 1,
            createdAt: at,
            updatedAt: at,
          },
        },
        { id: 'ep_2', uid: null, url: 'https://example.com/2', description: '', disabled: true, createdAt: at },
        { id: 'ep_3', url: 'https://example.com/3', description: '', channels: ['eu'], createdAt: at },
      ],
      secrets: { ep_1: { key: whsec }, ep_2: { key: whsec }, ep_3: { key: whsec } },
    },
    { id: 'ep_1', accountId: 'svix_a', description: 'ERP', signatures: ['svix', 'standard'] },
    '3 imported.\n',
    ['ep_3 is not written, because it filters by channels'],
  ],
  [
    'from-convoy.ts',
    {
      endpoints: [
        {
          ...{ uid: 'con_e', owner_id: 'convoy_a', url: 'https://example.com/1', name: 'ERP', status: 'active' },
          ...{
            advanced_signatures: false,
            created_at: at,
            secrets: [{ uid: 's', value: 'Vuk5LM0', expires_at: null }],
          },
        },
        { uid: 'con_f', owner_id: 'convoy_a', url: 'https://example.com/2', advanced_signatures: true, secrets: [] },
      ],
      subscriptions: [
        {
          uid: 'con_1',
          endpoint_metadata: { uid: 'con_e' },
          filter_config: { event_types: ['*'], filter: { is_flattened: false, headers: {}, body: {} } },
        },
        { uid: 'con_2', endpoint_metadata: { uid: 'con_f' }, filter_config: { event_types: ['*'] } },
        {
          ...{ uid: 'con_3', endpoint_metadata: { uid: 'con_e' } },
          filter_config: { event_types: ['*'], filter: { is_flattened: false, headers: {}, body: { country: 'DE' } } },
        },
        { uid: 'con_4', endpoint_metadata: { uid: 'con_e' }, filter_config: { event_types: type } },
        { uid: 'con_5', endpoint_metadata: { uid: 'con_e' }, filter_config: { event_types: type } },
      ],
      filters: {
        con_1: [{ uid: 'f_1', event_type: '*', headers: {}, body: {}, query: null }],
        con_3: [],
        con_4: [{ uid: 'f_4', event_type: 'order.paid', headers: {}, body: { country: 'DE' } }],
      },
    },
    { id: 'con_1', accountId: 'convoy_a', eventTypes: type },
    '2 imported.\n',
    [
      'con_2: not written, because its endpoint is missing or has advanced signatures',
      ...['con_3', 'con_4', 'con_5'].map(
        (id) => `${id} is not written, because it filters events by their content, or its filters are not given`,
      ),
    ],
  ],
  [
    'from-outpost.ts',
    {
      tenant: 'outpost_a',
      destinations: [
        {
          ...{ id: 'des_1', type: 'webhook', topics: ['*'], config: { url: 'https://example.com/1' } },
          ...{ credentials: { secret: 'deadbeef' }, created_at: at, disabled_at: at },
        },
        { id: 'des_2', type: 'aws_sqs', topics: '*', config: {}, credentials: {}, created_at: at, disabled_at: null },
        {
          ...{ id: 'des_3', type: 'webhook', topics: ['*'], config: { url: 'https://example.com/3' } },
          ...{ filter: { data: { country: 'DE' } }, credentials: { secret: 'deadbeef' }, created_at: at },
        },
      ],
    },
    { id: 'des_1', accountId: 'outpost_a', state: 'disabled' },
    '2 imported.\n',
    [
      'des_2: not written, because it is no webhook: aws_sqs',
      'des_3 is not written, because it filters events by their content',
    ],
  ],
] as const)(
  '%s writes lines that can be imported, and leaves out what filters by content',
  async (file, answer, subscription, said, leftOut) => {
    const script = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), 'order.paid'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    script.stdin.end(JSON.stringify(answer))
    const [written, errors] = await Promise.all([text(script.stdout), text(script.stderr)])
    expect(errors.trim().split('\n')).toEqual(leftOut)
    const result = await cli(['import', '--from', '-'], written)
    expect(result).toEqual({ code: 0, stdout: said })
    const { accountId, id } = subscription
    expect(await platform.callboard.subscriptions.find({ accountId, id })).toMatchObject(subscription)
  },
)
