import { createServer, type Server } from 'node:https'
import { type CallboardEvent, verifyRequest, WebhookVerificationError } from '@callboard/signature/request'

export interface ReceiverOptions {
  readonly certificate: { readonly key: string; readonly cert: string }
  /** Resolves once the subscription is created; a delivery may arrive even before that response. */
  readonly secret: Promise<string>
  readonly onEvent: (event: CallboardEvent) => void
  readonly onRefused: (reason: string) => void
}

/** Answers 204 to a delivery with a valid signature, even if it is repeated, and 400 to anything else. */
export function createReceiver({ certificate, secret, onEvent, onRefused }: ReceiverOptions): Server {
  return createServer(certificate, async (request, response) => {
    try {
      onEvent(await verifyRequest(request, { secret: await secret }))
      response.writeHead(204).end()
    } catch (error) {
      // Any other error means that the subscription was not created, which `runReceiver` reports.
      if (error instanceof WebhookVerificationError) onRefused(error.code)
      response.writeHead(400).end()
    }
  })
}
