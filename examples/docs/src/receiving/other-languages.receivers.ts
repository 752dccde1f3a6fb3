import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { startWorker } from '@callboard/delivery'
import { createMemoryStore } from '@callboard/store-memory'
import { freePort } from '@callboard/testbed'
import { expect, it } from 'vitest'
import * as z from 'zod'

/**
 * The folder that holds each language's libraries, which npm cannot install:
 * - `venv`: `pip install standardwebhooks flask`
 * - `go.mod`: `go get github.com/standard-webhooks/standard-webhooks/libraries`
 * - `vendor/autoload.php`: `composer require standard-webhooks/standard-webhooks`
 *
 * Ruby loads the installed gems `rack` and `standardwebhooks`. Instead of the second gem, you can set `RUBYLIB` to the
 * folder of the Ruby library in a clone of the Standard Webhooks repository.
 */
const folder = process.env['RECEIVERS_DIR']
if (folder === undefined) throw new Error('Set RECEIVERS_DIR to the folder that holds the libraries.')

interface Delivery {
  readonly headers: Record<string, string>
  readonly body: Buffer
  readonly secret: string
}

/** A delivery as a real worker sends it. */
async function catchDelivery(): Promise<Delivery> {
  const schema = z.object({ order: z.object({ id: z.string(), note: z.string() }) })
  const sample = { order: { id: 'ord_1', note: 'Grüße 🎟' } }
  const orderPaid = defineEventType({ name: 'order.paid', schema, sample })
  const callboard = createCallboard({
    catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }),
    store: createMemoryStore(),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
    targets: { httpLoopbackHosts: ['127.0.0.1'], allowedPorts: 'any' },
  })
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const targetUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const input = { targetUrl, eventTypes: ['order.paid'] }
  const { secret } = await callboard.subscriptions.create({ accountId: 'acc_1', ...input })
  const worker = await startWorker(callboard)
  const arrived = once(server, 'request')
  const subject = { type: 'order', id: 'ord_1' }
  await callboard.publish({ accountId: 'acc_1', type: 'order.paid', subject, data: sample })
  const [request, response] = (await arrived) as [IncomingMessage, { end(): void }]
  const body = await buffer(request)
  response.end()
  await worker.stop()
  server.close()
  const names = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature']
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]))
  return { headers, body, secret }
}

/** Polls a server until it answers, for at most 50 seconds: Go compiles its library on the first run. */
async function answers(url: string): Promise<void> {
  for (let attempts = 0; attempts < 500; attempts++) {
    if (await fetch(url).catch(() => undefined)) return
    await sleep(100)
  }
  throw new Error(`nothing answers at ${url}`)
}

it.each([
  ['Python', 'receive.py', (port: string) => ['venv/bin/flask', '--app', 'receive', 'run', '--port', port]],
  ['PHP', 'receive.php', (port: string) => ['php', '-S', `127.0.0.1:${port}`, 'receive.php']],
  // `-mod=mod` makes Go ignore the `vendor` folder, which is PHP's.
  ['Go', 'receive.go', () => ['go', 'run', '-mod=mod', 'receive.go']],
  ['Ruby', 'receive.ru', (port: string) => ['rackup', '-o', '127.0.0.1', '-p', port, 'receive.ru']],
] as const)('the receiver in %s accepts a delivery and rejects a forged one', async (_, file, command) => {
  const cwd = folder
  copyFileSync(fileURLToPath(new URL(file, import.meta.url)), `${cwd}/${file}`)
  const { headers, body, secret } = await catchDelivery()
  const port = String(await freePort())
  const [program = '', ...args] = command(port)
  const env = { ...process.env, PORT: port, WEBHOOK_SECRET: secret }
  // The receiver gets its own process group, so that killing the group also ends the program that `go run` starts.
  const receiver = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'], detached: true })
  try {
    const url = `http://127.0.0.1:${port}/hooks`
    await answers(url)
    const post = async (sent: Buffer | string, sentHeaders: Record<string, string> = headers): Promise<number> =>
      (await fetch(url, { method: 'POST', headers: sentHeaders, body: Buffer.from(sent) })).status
    expect(await post(body)).toBe(204)
    expect(await post(body.toString().replace('ord_1', 'ord_2'))).toBe(400)
    expect(await post(body, { 'content-type': 'application/json' })).toBe(400)
  } finally {
    if (receiver.pid !== undefined && receiver.exitCode === null) process.kill(-receiver.pid, 'SIGKILL')
  }
})
