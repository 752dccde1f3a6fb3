import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

const { WEBHOOK_SECRET = '', PORT = '3000' } = process.env
const webhook = new Webhook(WEBHOOK_SECRET)

const server = createServer(async (request, response) => {
  try {
    // Verify the raw body: nothing else may read or parse it first.
    const event = webhook.verify(await text(request), request.headers as Record<string, string>) as { type: string }
    if (event.type === 'order.paid') console.log('paid', event)
    response.writeHead(204).end()
  } catch (error) {
    const refused = error instanceof WebhookVerificationError // any other error is a bug in this receiver
    response.writeHead(refused ? 400 : 500).end()
  }
})
server.listen(Number(PORT), () => console.log('listening'))
