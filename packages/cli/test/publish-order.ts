import type { Callboard, PublishedEvent } from '@callboard/core'

/** Publishes `order.paid` of `acc_1`. */
export function publishOrder(callboard: Callboard, id = 'ord_1', email?: string): Promise<PublishedEvent> {
  const data = { order: { id, buyer: { entity_id: 'per_1', ...(email === undefined ? {} : { email }) } } }
  // What the catalogue's types are is not said of this object.
  return callboard.publish({
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id },
    data: data as never,
  })
}
