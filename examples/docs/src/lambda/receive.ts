import { verifyRequest, WebhookRefusedError } from '@callboard/signature/request'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

/** The `data` of each event type that the platform sends. */
interface Shop {
  'order.paid': { order: { id: string } }
}

export async function handler(request: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  try {
    const event = await verifyRequest<Shop>(request, { secret: process.env['WEBHOOK_SECRET'] ?? '' })
    console.log(event.type, event.data.order.id)
    return { statusCode: 204 }
  } catch (error) {
    if (error instanceof WebhookRefusedError) return { statusCode: 400, body: error.code }
    throw error // a bug of this receiver: API Gateway answers 500, and the sender tries again
  }
}
