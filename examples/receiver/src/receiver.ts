import { createServer, type Server } from 'node:https'
import { type CallboardEvent, verifyRequest, WebhookVerificationError } from '@callboard/signature/request'

export interface ReceiverOptions {
  readonly certificate: { readonly key: string; readonly cert: string }
  /**
   * Resolves to the signing secrets once the subscriptions are created. A delivery that arrives earlier waits for them.
   */
  readonly secrets: Promise<readonly string[]>
  readonly onEvent: (event: CallboardEvent) => void
  readonly onRefused: (reason: string) => void
}

/** Answers 204 to a delivery with a valid signature, even if it is repeated, and 400 to anything else. */
export function createReceiver({ certificate, secrets, onEvent, onRefused }: ReceiverOptions): Server {
  return createServer(certificate, async (request, response) => {
    try {
      onEvent(await verifyRequest(request, { secret: await secrets }))
      response.writeHead(204).end()
    } catch (error) {
      // Any other error comes from `secrets`: a subscription could not be created. `runReceiver` reports that error.
      if (error instanceof WebhookVerificationError) onRefused(error.code)
      response.writeHead(400).end()
    }
  })
}
