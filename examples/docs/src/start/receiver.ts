import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@callboard/client'
import { verifyRequest, WebhookRefusedError } from '@callboard/signature/request'

const { API_URL = 'http://127.0.0.1:3000', API_KEY = '' } = process.env
let secret = ''

const server = createServer(async (request, response) => {
  try {
    const event = await verifyRequest(request, { secret })
    console.log(event.type, JSON.stringify(event.data))
    response.writeHead(204).end()
  } catch (error) {
    const refused = error instanceof WebhookRefusedError // any other error is a bug in this receiver
    response.writeHead(refused ? 400 : 500).end()
  }
})
server.listen(Number(process.env['RECEIVER_PORT'] ?? 4000), '127.0.0.1')
await once(server, 'listening')

const { port } = server.address() as AddressInfo
const client = createClient({ baseUrl: API_URL, apiKey: API_KEY })
const subscription = await client.subscriptions.create({
  targetUrl: `http://127.0.0.1:${port}/`,
  eventTypes: ['order.paid'],
})
secret = subscription.secret // a real receiver stores it with `subscription.id`
console.log('subscribed')

process.once('SIGINT', async () => {
  await client.subscriptions.remove(subscription.id)
  server.close()
})
