import { fileURLToPath } from 'node:url'
import { startWorkerd, type Workerd } from '@callboard/runtimes'
import { generateSecret, sign } from '@callboard/signature'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealApi, startRealApi } from './real-api.ts'

const secret = generateSecret()
const body = '{ "id": "evt_1",\n "type": "order.paid", "data": { "note": "Zo\\u00eb – 5 €" } }\n'
let api: RealApi
let worker: Workerd

beforeAll(async () => {
  api = await startRealApi()
  await api.publish(4)
  const file = fileURLToPath(new URL('./worker.ts', import.meta.url))
  worker = await startWorkerd(file, { secret, baseUrl: api.baseUrl, apiKey: await api.key() })
})
afterAll(async () => {
  await worker?.stop()
  await api?.stop()
})

async function post(sent: string): Promise<Response> {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = await sign({ id: 'evt_1', timestamp, body, secret })
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
  return fetch(worker.url, { method: 'POST', headers, body: sent })
}

describe('in workerd', () => {
  it('the client reads events across pages', async () => {
    const ids = (await (await fetch(worker.url)).json()) as string[]
    expect(new Set(ids).size).toBe(5)
  })

  it('verifyRequest returns the event of a delivery, and refuses a forged one', async () => {
    const taken = await post(body)
    expect([taken.status, await taken.json()]).toEqual([200, JSON.parse(body)])
    const forged = await post(body.replace('5', '6'))
    expect([forged.status, await forged.text()]).toEqual([400, 'SIGNATURE_MISMATCH'])
  })
})
