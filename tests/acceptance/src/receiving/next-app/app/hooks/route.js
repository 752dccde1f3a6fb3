import { verifyRequest, WebhookVerificationError } from '@callboard/signature/request'

/** A route handler as a receiver writes it. In JavaScript: for TypeScript, Next wants the types of React and writes a tsconfig. */
export async function POST(request) {
  try {
    return Response.json(await verifyRequest(request, { secret: process.env.WEBHOOK_SECRET }))
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return new Response(error.code, { status: 400 })
  }
}
