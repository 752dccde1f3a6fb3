import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { freePort, startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, expect, it } from 'vitest'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

function run(file: string, env: Record<string, string>): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, NODE_ENV: 'development', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

/** Yields a process's output line by line; throws once the process has ended. */
async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string, never> {
  let rest = ''
  for await (const chunk of stream) {
    rest += chunk
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      yield rest.slice(0, end)
      rest = rest.slice(end + 1)
    }
  }
  throw new Error(`ended after: ${rest}`)
}

it('the steps of docs/start-here.md lead from an empty database to a verified delivery', async () => {
  const PORT = String(await freePort())
  const base = `http://127.0.0.1:${PORT}`
  const env = {
    DATABASE_URL: await postgres.createDatabase(),
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    PORT,
  }
  const customer = run('customer.ts', env)
  const key = (await text(customer.stdout)).trim()
  expect(key).toMatch(/^cb_live_/)

  const server = run('server.ts', env)
  expect((await linesOf(server.stdout).next()).value).toBe('ready')
  const me = await fetch(`${base}/v1/me`, { headers: { authorization: `Bearer ${key}` } })
  expect(await me.json()).toMatchObject({ entity: { id: 'acc_1', name: 'Harbour Hall' } })

  const receiver = run('receiver.ts', { API_URL: base, API_KEY: key, RECEIVER_PORT: '0' })
  const received = linesOf(receiver.stdout)
  expect((await received.next()).value).toBe('subscribed')
  expect((await fetch(`${base}/orders`, { method: 'POST', body: 'no JSON' })).status).toBe(500)
  const sold = await fetch(`${base}/orders`, { method: 'POST', body: '{"email":"ada@example.com"}' })
  const { id } = (await sold.json()) as { id: string }
  expect((await received.next()).value).toBe(`order.paid {"order":{"id":"${id}","buyer":{"entity_id":"per_1"}}}`)

  const [receiverEnd, serverEnd] = [once(receiver, 'exit'), once(server, 'exit')]
  receiver.kill('SIGINT')
  expect(await receiverEnd).toEqual([0, null])
  server.kill('SIGTERM')
  expect(await serverEnd).toEqual([0, null])
})
