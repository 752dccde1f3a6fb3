import { createServer, type Server } from 'node:https'
import { type CallboardEvent, verifyRequest, WebhookVerificationError } from '@callboard/signature/request'

export interface ReceiverOptions {
  readonly certificate: { readonly key: string; readonly cert: string }
  /** Comes with the answer that makes the subscription; a delivery may be quicker than that answer. */
  readonly secret: Promise<string>
  readonly onEvent: (event: CallboardEvent) => void
  readonly onRefused: (reason: string) => void
}

/** Takes deliveries: 204 for what is rightly signed, once or again, and 400 for all else. */
export function createReceiver({ certificate, secret, onEvent, onRefused }: ReceiverOptions): Server {
  return createServer(certificate, async (request, response) => {
    try {
      onEvent(await verifyRequest(request, { secret: await secret }))
      response.writeHead(204).end()
    } catch (error) {
      // Anything else is the subscription that was not made: its error is told where it was asked for.
      if (error instanceof WebhookVerificationError) onRefused(error.code)
      response.writeHead(400).end()
    }
  })
}
