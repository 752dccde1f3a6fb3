import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:https'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSecret, sign } from '@callboard/signature'
import type { CallboardEvent } from '@callboard/signature/request'
import { readOrMakeDemoCertificate } from '@callboard-examples/ticketing/demo'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createReceiver } from './receiver.ts'

const secret = generateSecret()
const body = '{"id":"evt_1", "type":"order.paid"}'
let folder: string
let certificate: { key: string; cert: string }
let server: Server
let port: number
let events: CallboardEvent[] = []
let refusals: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-receiver-'))
  certificate = await readOrMakeDemoCertificate(folder)
  server = createReceiver({
    certificate,
    secrets: Promise.resolve([generateSecret(), secret]),
    onEvent: (event) => events.push(event),
    onRefused: (reason) => refusals.push(reason),
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})

beforeEach(() => {
  events = []
  refusals = []
})

afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

async function signed(text = body, key = secret): Promise<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = await sign({ id: 'evt_1', timestamp, body: text, secret: key })
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
}

/** Posts to the receiver, trusting only the demo certificate; returns the status. */
async function post(headers: Record<string, string>, text = body): Promise<number | undefined> {
  const sent = request({
    host: 'localhost',
    port,
    method: 'POST',
    path: '/hook',
    headers,
    ca: certificate.cert,
    agent: false,
  })
  sent.end(text)
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}

describe('the receiver', () => {
  it('accepts a delivery with a valid signature', async () => {
    expect(await post(await signed())).toBe(204)
    expect(events).toMatchObject([{ id: 'evt_1', type: 'order.paid' }])
  })

  it.each([
    ['is not signed', async () => ({}), 'HEADER_MISSING'],
    ['was signed with another secret', () => signed(body, generateSecret()), 'SIGNATURE_MISMATCH'],
    ['was altered in transit', () => signed(`${body} `), 'SIGNATURE_MISMATCH'],
  ])('refuses a delivery that %s', async (_, headers, reason) => {
    expect(await post(await headers())).toBe(400)
    expect(events).toEqual([])
    expect(refusals).toEqual([reason])
  })

  it('has the same certificate at every start', async () => {
    expect(await readOrMakeDemoCertificate(folder)).toEqual(certificate)
  })
})
