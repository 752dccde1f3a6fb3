import type { AnyEventTypes, CallboardEvent } from './callboard-event.ts'
import { requestBody, requestWithHeaders, type WebhookRequest } from './request-body.ts'
import { verify } from './signature.ts'
import type { VerifyRequest } from './verify.ts'
import { header } from './webhook-headers.ts'
import { WebhookRefusedError } from './webhook-refused-error.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

export interface VerifyRequestOptions extends Pick<VerifyRequest, 'secret' | 'tolerance' | 'now'> {
  /** Of a body that is read from the request's stream; 1 MiB by default. Callboard's own limit of an event is 256 KiB. */
  readonly maxBytes?: number | undefined
}

/**
 * Turns the request of a delivery into its event, once one of its signatures is right and its time is within the tolerance.
 * Takes a `Request` (Next, Bun, Deno, workers), `c.req` of Hono, and the request of Express, Fastify or Node; the body
 * must be unread or raw. `Types` says what is in `data`: `typeof catalog`, or a type that maps names to `data`; nothing checks it.
 *
 * @throws WebhookRefusedError whose `code` says why, and which frameworks answer with 400.
 * @throws WebhookVerificationError `SECRET_INVALID` or, where the framework has parsed the body, `BODY_INVALID`.
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
    // Asked first: of who does not even claim to have signed it no body is read.
    header(headers, 'webhook-signature')
    const body = await requestBody(request, maxBytes)
    const { id, payload } = await verify<CallboardEvent<Types> | null>({ body, headers, ...options })
    if (payload === null || payload.id !== id || typeof payload.type !== 'string')
      throw new WebhookVerificationError('PAYLOAD_INVALID', 'The body is rightly signed, but is not an event')
    return payload
  } catch (error) {
    if (!(error instanceof WebhookVerificationError) || isYours(error)) throw error
    throw new WebhookRefusedError(error.code, error.message)
  }
}

/** What no sender can bring about. */
function isYours({ code }: WebhookVerificationError): boolean {
  return code === 'SECRET_INVALID' || code === 'BODY_INVALID'
}
