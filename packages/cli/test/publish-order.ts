import type { Callboard, PublishedEvent } from '@callboard/core'

/** Publishes an `order.paid` event for `acc_1`. */
export function publishOrder(callboard: Callboard, id = 'ord_1', email?: string): Promise<PublishedEvent> {
  const data = { order: { id, buyer: { entity_id: 'per_1', ...(email === undefined ? {} : { email }) } } }
  // The cast is necessary because the type `Callboard` does not name the catalogue.
  return callboard.publish({
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id },
    data: data as never,
  })
}
