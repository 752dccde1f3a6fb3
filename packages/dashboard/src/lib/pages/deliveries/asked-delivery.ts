import { CallboardError, type DeliveryRecord, type SubscriptionWithHealth } from '@callboard/core'
import { isId } from '@callboard/core/store'
import type { Call } from '../../call.ts'
import { askedRef, askedWithHealth } from '../subscriptions/asked-subscription.ts'

/** A delivery and its subscription. The two are read at the same time, but not in one transaction. */
export interface AskedDelivery {
  readonly subscription: SubscriptionWithHealth
  readonly delivery: DeliveryRecord
}

/**
 * Finds the delivery that the path names, and its subscription, in the viewer's account and mode only. Throws
 * `NOT_FOUND`.
 */
export async function askedDelivery(call: Call): Promise<AskedDelivery> {
  // Parse both ids before any query starts. If parsing threw while a query was running, nothing would handle the
  // rejection of that query, and the process would end.
  const [ref, eventId] = [askedRef(call), askedEventId(call)]
  const [subscription, delivery] = await Promise.all([
    askedWithHealth(call),
    call.callboard.deliveries.find({ ...ref, subscriptionId: ref.id, eventId }),
  ])
  if (delivery === undefined) throw new CallboardError('NOT_FOUND', 'There is no such delivery.')
  return { subscription, delivery }
}

/** The event id in the path. Throws `NOT_FOUND` if it is malformed. */
export function askedEventId({ params: { eventId = '' } }: Call): string {
  if (!isId('evt', eventId)) throw new CallboardError('NOT_FOUND', 'There is no such event.')
  return eventId
}
