import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verify } from '@callboard/signature'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { catalog, embed } from './embed.ts'
import { deliver } from './run.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(() => postgres.stop())

it('runs the example of the READMEs, from a sale to a verified delivery', async () => {
  const pool = await postgres.createPool()
  await pool.query('create table orders (id text primary key, email text not null)')
  const targets = { httpLoopbackHosts: ['127.0.0.1'], allowedPorts: 'any' }
  const k1 = Buffer.alloc(32, 7).toString('base64')
  const { callboard, token, router, worker, sell } = await embed(pool, k1, targets, console)
  const receiver = createServer()
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo

  const subscribed = await router.fetch(
    new Request('https://platform.example/v1/webhooks/subscriptions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        targetUrl: `http://127.0.0.1:${port}/`,
        eventTypes: ['order.paid'],
        integration: 'zapier',
      }),
    }),
  )
  const { secret } = (await subscribed.json()) as { secret: string }

  const arrived = once(receiver, 'request')
  await sell('ord_1', 'ada@example.com')
  const [request, response] = await arrived
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  response.end()
  const { payload } = await verify({ body: Buffer.concat(chunks), headers: request.headers, secret })
  expect(payload).toMatchObject({ type: 'order.paid', data: { order: { id: 'ord_1', buyer: { entity_id: 'per_1' } } } })
  expect(JSON.stringify(payload)).not.toContain('ada@example.com')

  await expect(sell('ord_1', 'ada@example.com')).rejects.toThrow('duplicate key')
  expect((await pool.query('select count(*)::int as events from callboard.events')).rows).toEqual([{ events: 1 }])
  await worker.stop()
  expect(await deliver(callboard)).toEqual({ end: 'idle', nextInMs: undefined })
  receiver.close()
})

it('lists the event types of the example', () => {
  expect(catalog.listed).toMatchObject([{ type: 'order.paid', personalDataPaths: ['order.buyer.email'] }])
})

it.each([
  '../../../../README.md',
  '../../../../packages/core/README.md',
  '../../../../packages/delivery/README.md',
  '../../../../packages/store-postgres/README.md',
])('runs all code that %s shows', (readme) => {
  const trimmed = (text: string): string[] =>
    text
      .split('\n')
      .map((line) => line.replace(/\s+\/\/ .*/, '').trim())
      .filter((line) => line !== '')
  const run = ['./embed.ts', './run.ts'].flatMap((program) =>
    trimmed(readFileSync(new URL(program, import.meta.url), 'utf8').replace('export const', 'const')),
  )
  const shown = [...readFileSync(new URL(readme, import.meta.url), 'utf8').matchAll(/```ts\n(.*?)```/gs)].flatMap(
    ([, code]) => trimmed(code ?? ''),
  )
  expect(shown.length).toBeGreaterThan(0)
  for (const line of shown) expect(run).toContain(line)
})
