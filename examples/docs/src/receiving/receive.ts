import { createServer } from 'node:http'
import { verifyRequest, WebhookRefusedError } from '@callboard/signature/request'

const { WEBHOOK_SECRET: secret = '', PORT = '3000' } = process.env

const server = createServer(async (request, response) => {
  try {
    const event = await verifyRequest(request, { secret }) // the request unread: its body as it comes
    if (event.type === 'order.paid') console.log('paid', event.data)
    response.writeHead(204).end()
  } catch (error) {
    const refused = error instanceof WebhookRefusedError // else it is our own trouble; both are sent again
    response.writeHead(refused ? 400 : 500).end()
  }
})
server.listen(Number(PORT), () => console.log('listening'))
