import { verifyRequest, WebhookVerificationError } from '@callboard/signature/request'

/**
 * A receiver's route handler. In JavaScript, because for TypeScript Next requires React's types and writes a tsconfig.
 */
export async function POST(request) {
  try {
    return Response.json(await verifyRequest(request, { secret: process.env.WEBHOOK_SECRET }))
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return new Response(error.code, { status: 400 })
  }
}
