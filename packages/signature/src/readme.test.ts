import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { onExpress, onFastify, onHono, onNext } from './example-frameworks.ts'
import { generateSecret, sign } from './index.ts'

const secret = generateSecret()
const id = 'evt_01jd4k8vb3q6zt0x9m7n2p5rwy'
const body = `{"id":"${id}", "type":"order.paid", "data":{"order":{"id":"ord_1"}}}`

async function delivery(signedBody = body): Promise<RequestInit> {
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await sign({ id, timestamp, body: signedBody, secret }),
  }
  return { method: 'POST', headers, body }
}

type Post = (request: RequestInit) => Promise<Response>

async function withExpress(seen: Set<string>, use: (post: Post) => Promise<void>): Promise<void> {
  const server: Server = onExpress(secret, seen).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await use((request) => fetch(`http://127.0.0.1:${port}/hooks`, request))
  server.close()
}

async function withFastify(seen: Set<string>, use: (post: Post) => Promise<void>): Promise<void> {
  const app = onFastify(secret, seen)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  await use((request) => fetch(`${url}/hooks`, request))
  await app.close()
}

const withHono = async (seen: Set<string>, use: (post: Post) => Promise<void>): Promise<void> =>
  use(async (request) => onHono(secret, seen).request('/hooks', request))

const withNext = async (seen: Set<string>, use: (post: Post) => Promise<void>): Promise<void> =>
  use((request) => onNext(secret, seen).POST(new Request('https://receiver.example/hooks', request)))

describe('the examples of the README', () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  beforeEach(() => {
    log.mockClear()
    warn.mockClear()
  })

  it('are quoted from the files that these tests run', async () => {
    const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8')
    const readme = await read('../README.md')
    const [first, ...others] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
    expect(first).toBe(await read('example.ts'))
    expect(others).toHaveLength(4)
    const unindented = (text: string): string => text.replace(/^ +/gm, '')
    for (const code of others) expect(unindented(await read('example-frameworks.ts'))).toContain(unindented(code))
  })

  it.each([
    ['Express', withExpress],
    ['Fastify', withFastify],
    ['Hono', withHono],
    ['Next', withNext],
  ])('handle a repeated delivery only once, and refuse a forged delivery: %s', async (_, start) => {
    await start(new Set(), async (post) => {
      for (const _ of ['first attempt', 'retry']) expect((await post(await delivery())).status).toBe(204)
      expect(log.mock.calls).toEqual([['paid', 'ord_1']])
      expect((await post(await delivery('{}'))).status).toBe(400)
      expect(warn.mock.calls).toEqual([['refused', 'SIGNATURE_MISMATCH']])
    })
  })
})
