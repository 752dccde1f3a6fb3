// A receiver whose code is CommonJS subscribes and verifies deliveries. tsc compiles this file once for each way of
// resolving modules from CommonJS, and Jest runs the results without flags.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CallboardApiError, createClient } from '@callboard/client'
import { generateSecret, sign, WebhookVerificationError } from '@callboard/signature'
import { WebhookVerificationError as OfRequest, verifyRequest } from '@callboard/signature/request'
import { test } from '@jest/globals'

interface Shop {
  'order.paid': { order: { id: string } }
}

test('verifies a delivery, and refuses a forged one', async () => {
  const secret = generateSecret()
  const id = 'evt_01jd4k8vb3q6zt0x9m7n2p5rwy'
  const timestamp = Math.floor(Date.now() / 1000)
  const body = JSON.stringify({ id, type: 'order.paid', data: { order: { id: 'ord_1' } } })
  const signature = await sign({ id, timestamp, body, secret })
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
  const event = await verifyRequest<Shop>({ headers, body }, { secret })
  assert.equal(event.data.order.id, 'ord_1')
  await assert.rejects(verifyRequest({ headers, body: `${body} ` }, { secret }), WebhookVerificationError)
  assert.equal(OfRequest, WebhookVerificationError)
})

test('calls the API with the fetch of the runtime', async () => {
  const server = createServer((_, response) => response.writeHead(401).end('{"code":"UNAUTHENTICATED"}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = createClient<Shop>({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'cb_live_x' })
  await assert.rejects(client.me(), CallboardApiError)
  server.close()
})
