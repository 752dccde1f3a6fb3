import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createCallboard, defineCatalog, defineEventType } from '@callboard/core'
import { startWorker } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { toNodeHandler } from '@callboard/router/node'
import { createMemoryStore } from '@callboard/store-memory'
import { expect, it } from 'vitest'
import * as z from 'zod'

/**
 * The folder that holds each language's libraries, which npm cannot install:
 * - `venv`: `pip install httpx-sse`
 * - `go.mod`: `go get github.com/tmaxmax/go-sse`
 * - `Cargo.toml`, whose program is `read_feed.rs`: `reqwest`, `reqwest-eventsource`, `tokio` with `rt` and `macros`,
 *   `futures-util` and `serde_json`
 */
const folder = process.env['RECEIVERS_DIR']
if (folder === undefined) throw new Error('Set RECEIVERS_DIR to the folder that holds the libraries.')

/** Streams end this soon, so that the readers have to connect again and again. */
const OPEN_MS = 1_000
const EVENTS = 500

it.each([
  ['Python, by httpx-sse', 'read_feed.py', ['venv/bin/python', 'read_feed.py']],
  ['Go, by go-sse', 'read_feed.go', ['go', 'run', '-mod=mod', 'read_feed.go']],
  ['Rust, by reqwest-eventsource', 'read_feed.rs', ['cargo', 'run', '--quiet']],
] as const)(
  'a reader in %s follows the feed across streams, without a gap or a repeat',
  async (_, file, command) => {
    copyFileSync(fileURLToPath(new URL(`feed-readers/${file}`, import.meta.url)), `${folder}/${file}`)
    const schema = z.object({ order: z.object({ note: z.string() }) })
    const sample = { order: { note: 'Grüße 🎟' } }
    const orderPaid = defineEventType({ name: 'order.paid', schema, sample })
    const callboard = createCallboard({
      catalog: defineCatalog({ version: '2026-10-01', types: [orderPaid] }),
      store: createMemoryStore(),
      secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
    })
    const owner = { accountId: 'acc_1', name: 'Harbour Hall' }
    await callboard.accounts.create({ id: owner.accountId, name: owner.name })
    const { token } = await callboard.keys.issue({ ...owner, scopes: ['webhooks.read'] })
    const worker = await startWorker(callboard)
    const server = createServer(toNodeHandler(createRouter(callboard, { maxOpenMs: OPEN_MS }))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const FEED_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/events/feed`

    const subject = { type: 'order', id: 'ord_1' }
    const publishing = setInterval(
      () => void callboard.publish({ accountId: 'acc_1', type: 'order.paid', subject, data: sample }),
      5,
    )
    const [program = '', ...args] = command
    // The reader gets its own process group, so that killing the group also ends the program that `go run` starts.
    const env = { ...process.env, FEED_URL, API_KEY: token }
    const reader = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    try {
      const sequences: number[] = []
      for await (const line of createInterface(reader.stdout)) if (sequences.push(Number(line)) === EVENTS) break
      const [first = 0] = sequences
      expect(sequences).toEqual(Array.from({ length: EVENTS }, (_each, index) => first + index))
    } finally {
      clearInterval(publishing)
      if (reader.pid !== undefined && reader.exitCode === null) process.kill(-reader.pid, 'SIGKILL')
      server.closeAllConnections()
      server.close()
      await worker.stop()
    }
  },
  120_000,
)
