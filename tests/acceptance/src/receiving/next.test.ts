import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { generateSecret, sign } from '@callboard/signature'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const secret = generateSecret()
const program = fileURLToPath(new URL('./next-app/serve.js', import.meta.url))
const build = new URL('./next-app/.next', import.meta.url)
const body = '{ "id":"evt_1",\n "type":"order.paid", "data":{"note":"Zo\\u00eb – 5 €"} }\n'

let next: ChildProcess
let url: string

beforeAll(async () => {
  const env = { ...process.env, NODE_ENV: 'development' as const, WEBHOOK_SECRET: secret, NEXT_TELEMETRY_DISABLED: '1' }
  next = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(next.stdout!)) {
    const port = /^listening on (\d+)$/.exec(line)?.[1]
    if (port === undefined) continue
    url = `http://127.0.0.1:${port}/hooks`
    return
  }
  throw new Error('Next did not start')
})

afterAll(async () => {
  const over = once(next, 'exit')
  next.kill('SIGKILL')
  await over
  await rm(build, { recursive: true, force: true })
})

/** Posts a delivery with this body instead of the signed one, or without a signature. */
async function post(sent: string, unsigned = false): Promise<Response> {
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    ...(!unsigned && { 'webhook-signature': await sign({ id: 'evt_1', timestamp, body, secret }) }),
  }
  return fetch(url, { method: 'POST', headers, body: sent })
}

describe('verifyRequest in a Next route handler', () => {
  it('returns the event of a correctly signed delivery', async () => {
    const response = await post(body)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(JSON.parse(body))
  })

  it('refuses a wrong or missing signature', async () => {
    const forged = await post(body.replace('5', '6'))
    expect([forged.status, await forged.text()]).toEqual([400, 'SIGNATURE_MISMATCH'])
    const unsigned = await post(body, true)
    expect([unsigned.status, await unsigned.text()]).toEqual([400, 'HEADER_MISSING'])
  })
})
