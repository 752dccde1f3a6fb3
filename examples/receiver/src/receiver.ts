import { createServer, type Server } from 'node:https'
import { type VerifiedWebhook, verify, WebhookVerificationError } from '@callboard/signature'

export interface ReceiverOptions {
  readonly certificate: { readonly key: string; readonly cert: string }
  /** Comes with the answer that makes the subscription; a delivery may be quicker than that answer. */
  readonly secret: Promise<string>
  readonly onEvent: (event: VerifiedWebhook) => void
  readonly onRefused: (reason: string) => void
}

/** Takes deliveries: 204 for what is rightly signed, once or again, and 400 for all else. */
export function createReceiver({ certificate, secret, onEvent, onRefused }: ReceiverOptions): Server {
  return createServer(certificate, async (request, response) => {
    try {
      const body = Buffer.concat(await request.toArray()) // raw: parsed and printed anew it would not match
      onEvent(await verify({ body, headers: request.headers, secret: await secret }))
      response.writeHead(204).end()
    } catch (error) {
      onRefused(error instanceof WebhookVerificationError ? error.code : 'BROKEN_OFF')
      response.writeHead(400).end()
    }
  })
}
