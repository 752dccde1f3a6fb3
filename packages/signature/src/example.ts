import { verify, WebhookVerificationError } from '@callboard/signature'

/** Answers one delivery, in any framework that speaks `Request` and `Response`. */
export async function receive(request: Request, secret: string, seen: Set<string>): Promise<Response> {
  try {
    const body = await request.text() // the raw text: parsed and printed anew it would not match
    const { id, payload } = await verify({ body, headers: request.headers, secret })
    if (!seen.has(id)) console.log('received', id, payload) // at least once: drop the repeats
    seen.add(id)
    return new Response(null, { status: 204 })
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return new Response(error.code, { status: 400 })
  }
}
