import { createServer } from 'node:http'
import { verifyRequest, WebhookRefusedError } from '@callboard/signature/request'

const { WEBHOOK_SECRET: secret = '', PORT = '3000' } = process.env

const server = createServer(async (request, response) => {
  try {
    const event = await verifyRequest(request, { secret }) // reads the raw body: nothing else may read it first
    if (event.type === 'order.paid') console.log('paid', event.data)
    response.writeHead(204).end()
  } catch (error) {
    const refused = error instanceof WebhookRefusedError // any other error is a bug in this receiver
    response.writeHead(refused ? 400 : 500).end()
  }
})
server.listen(Number(PORT), () => console.log('listening'))
