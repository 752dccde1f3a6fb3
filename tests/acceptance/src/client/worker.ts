import { createClient } from '@callboard/client'
import { verifyRequest, WebhookRefusedError } from '@callboard/signature/request'

/** The bindings of the worker. */
interface Environment {
  readonly secret: string
  readonly baseUrl: string
  readonly apiKey: string
}

/**
 * A receiver, written for Cloudflare Workers. It answers a delivery with its event, and other requests with the ids of
 * all events.
 */
export async function handle(request: Request, { secret, baseUrl, apiKey }: Environment): Promise<Response> {
  if (request.method !== 'POST') {
    const ids: string[] = []
    for await (const { id } of createClient({ baseUrl, apiKey }).events({ limit: 2 })) ids.push(id)
    return Response.json(ids)
  }
  try {
    return Response.json(await verifyRequest(request, { secret }))
  } catch (error) {
    if (!(error instanceof WebhookRefusedError)) throw error
    return error.getResponse()
  }
}
