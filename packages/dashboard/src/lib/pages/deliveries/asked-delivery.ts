import { CallboardError, type DeliveryRecord, type SubscriptionRecord } from '@callboard/core'
import { isId } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { askedRef, askedSubscription } from '../subscriptions/asked-subscription.ts'

/** The delivery that the path names, and its subscription, in the viewer's account and mode alone. Throws `NOT_FOUND`. */
export async function askedDelivery(
  call: Call,
): Promise<{ readonly subscription: SubscriptionRecord; readonly delivery: DeliveryRecord }> {
  // Before anything is asked for: what throws beside a question under way leaves its rejection to nobody, which ends the process.
  const [ref, eventId] = [askedRef(call), askedEventId(call)]
  const [subscription, delivery] = await Promise.all([
    askedSubscription(call),
    call.callboard.deliveries.find(ref, eventId),
  ])
  if (delivery === undefined) throw new CallboardError('NOT_FOUND', 'There is no such delivery.')
  return { subscription, delivery }
}

/** The event's id that the path names. Throws `NOT_FOUND` for what is no id. */
export function askedEventId({ params: { eventId = '' } }: Call): string {
  if (!isId('evt', eventId)) throw new CallboardError('NOT_FOUND', 'There is no such event.')
  return eventId
}
