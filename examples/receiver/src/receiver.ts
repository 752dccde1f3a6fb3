import { createServer, type Server } from 'node:https'
import { type CallboardEvent, verifyRequest, WebhookVerificationError } from '@callboard/signature/request'

export interface ReceiverOptions {
  readonly certificate: { readonly key: string; readonly cert: string }
  /** Resolves to the signing secret once the subscription is created. A delivery that arrives earlier waits for it. */
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
      // Any other error is that of `secret`: the subscription could not be created. `runReceiver` reports that error.
      if (error instanceof WebhookVerificationError) onRefused(error.code)
      response.writeHead(400).end()
    }
  })
}
