import { verifyRequest, WebhookRefusedError, type WebhookRequest } from '@callboard/signature/request'

/** The `data` of each event type. With access to the platform's catalogue, use `typeof catalog` instead. */
interface Shop {
  'order.paid': { order: { id: string } }
  'attendee.checked_in': { attendee: { id: string } }
}

/** Handles one delivery and returns the status to answer with. Any status but a 2xx or 410 leads to a retry. */
export async function receive(request: WebhookRequest, secret: string, seen: Set<string>): Promise<number> {
  try {
    const event = await verifyRequest<Shop>(request, { secret })
    if (seen.has(event.id)) return 204 // delivered at least once: drop repeats
    if (event.type === 'order.paid') console.log('paid', event.data.order.id)
    seen.add(event.id)
    return 204
  } catch (error) {
    if (!(error instanceof WebhookRefusedError)) throw error // your bug: a wrong secret or a parsed body
    console.warn('refused', error.code)
    return 400
  }
}
