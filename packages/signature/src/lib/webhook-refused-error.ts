import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * The error that `verifyRequest` rejects with when the sender is to blame. If nobody catches it, Express, Fastify and
 * Hono answer 400. A wrong secret or a parsed body is a plain {@link WebhookVerificationError}, which they answer with
 * 500.
 */
export class WebhookRefusedError extends WebhookVerificationError {
  /** The status that Express and Fastify answer with. */
  readonly statusCode = 400

  /** The answer for Hono and for any other code that returns a `Response`: the status, with the code as its text. */
  getResponse(): Response {
    return new Response(this.code, { status: this.statusCode })
  }
}
