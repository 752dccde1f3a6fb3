import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * The error that `verifyRequest` rejects with when the sender is to blame. If you do not catch it, Express, Fastify and
 * Hono answer with 400. An invalid secret or a parsed body causes a plain {@link WebhookVerificationError} instead,
 * which these frameworks answer with 500.
 */
export class WebhookRefusedError extends WebhookVerificationError {
  /** The status with which Express and Fastify answer. */
  readonly statusCode = 400

  /** Returns a response with the status and the code, for Hono and for any other code that returns a `Response`. */
  getResponse(): Response {
    return new Response(this.code, { status: this.statusCode })
  }
}
