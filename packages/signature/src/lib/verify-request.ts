import type { AnyEventTypes, CallboardEvent } from './callboard-event.ts'
import { requestBody, requestWithHeaders, type WebhookRequest } from './request-body.ts'
import { verify } from './signature.ts'
import type { VerifyRequest } from './verify.ts'
import { header } from './webhook-headers.ts'
import { WebhookRefusedError } from './webhook-refused-error.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

export interface VerifyRequestOptions extends Pick<VerifyRequest, 'secret' | 'tolerance' | 'now'> {
  /**
   * Maximum size of a body that is read from the request's stream; 1 MiB by default. A Callboard event has at most
   * 256 KiB.
   */
  readonly maxBytes?: number | undefined
}

/**
 * Verifies the request of a delivery and returns its event. Accepts a `Request` (Next, Bun, Deno, Cloudflare Workers),
 * Hono's `c.req`, the request of Express, Fastify or Node, and the event of AWS Lambda. The body must be unread or raw.
 * For `Types`, pass `typeof catalog` or a type that maps the names of event types to `data`. Nothing checks `data`
 * against that type at run time.
 *
 * @throws WebhookRefusedError whose `code` says why the request was refused. Express, Fastify and Hono answer it with
 * 400.
 * @throws WebhookVerificationError `SECRET_INVALID`, or `BODY_INVALID` if the body was already read or parsed.
 * @example
 * const event = await verifyRequest<typeof catalog>(request, { secret })
 * if (event.type === 'order.paid') await fulfil(event.data.order)
 */
export async function verifyRequest<Types extends object = AnyEventTypes>(
  request: WebhookRequest,
  { maxBytes = 1_048_576, ...options }: VerifyRequestOptions,
): Promise<CallboardEvent<Types>> {
  try {
    const { headers } = requestWithHeaders(request)
    // Throws before the body is read, so that the body of an unsigned request is never read.
    header(headers, 'webhook-signature')
    const body = await requestBody(request, maxBytes)
    const { id, payload } = await verify<CallboardEvent<Types> | null>({ body, headers, ...options })
    if (payload === null || payload.id !== id || typeof payload.type !== 'string')
      throw new WebhookVerificationError('PAYLOAD_INVALID', 'The signed body is not the event in webhook-id')
    return payload
  } catch (error) {
    if (!(error instanceof WebhookVerificationError) || isYours(error)) throw error
    throw new WebhookRefusedError(error.code, error.message)
  }
}

/** Whether the receiver is to blame for an error, because no sender can cause it. */
function isYours({ code }: WebhookVerificationError): boolean {
  return code === 'SECRET_INVALID' || code === 'BODY_INVALID'
}
