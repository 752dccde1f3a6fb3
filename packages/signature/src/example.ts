import { verifyRequest, WebhookRefusedError, type WebhookRequest } from '@callboard/signature/request'

/** What you know of `data`; `typeof catalog` where you have the platform's catalogue. */
interface Shop {
  'order.paid': { order: { id: string } }
  'attendee.checked_in': { attendee: { id: string } }
}

/** Takes one delivery and gives the status to answer with: what gets no 2xx is sent again later. */
export async function receive(request: WebhookRequest, secret: string, seen: Set<string>): Promise<number> {
  try {
    const event = await verifyRequest<Shop>(request, { secret })
    if (seen.has(event.id)) return 204 // at least once: drop the repeats
    if (event.type === 'order.paid') console.log('paid', event.data.order.id)
    seen.add(event.id)
    return 204
  } catch (error) {
    if (!(error instanceof WebhookRefusedError)) throw error // yours: a wrong secret, a parsed body
    console.warn('refused', error.code)
    return 400
  }
}
