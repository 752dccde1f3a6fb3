import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * What `verifyRequest` rejects with where the sender is to blame. Where nobody catches it, Express, Fastify and Hono answer
 * it with 400; a wrong secret or a parsed body is a plain {@link WebhookVerificationError}, and a 500.
 */
export class WebhookRefusedError extends WebhookVerificationError {
  /** What Express and Fastify answer with. */
  readonly statusCode = 400

  /** What Hono answers with, and anybody who speaks `Response` can: the status, and the code as its text. */
  getResponse(): Response {
    return new Response(this.code, { status: this.statusCode })
  }
}
