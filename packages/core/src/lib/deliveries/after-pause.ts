import type { DeliveryRecord } from '../ports/delivery-record.ts'
import type { HealthStore } from '../ports/health-store.ts'
import type { SubscriptionRef } from '../ports/subscription-record.ts'

/**
 * Delays the next attempts of deliveries to the end of their subscription's pause, because a paused lane sends nothing.
 * Reads the health only of subscriptions whose deliveries wait.
 */
export async function afterPause(
  { findWithHealth }: Pick<HealthStore, 'findWithHealth'>,
  owner: Omit<SubscriptionRef, 'id'>,
  deliveries: readonly DeliveryRecord[],
): Promise<readonly DeliveryRecord[]> {
  const ids = new Set(deliveries.filter(isWaiting).map(({ subscriptionId }) => subscriptionId))
  const ends = new Map<string, Date>()
  await Promise.all(
    [...ids].map(async (id) => {
      const until = (await findWithHealth({ ...owner, id }))?.health.pausedUntil
      if (until !== undefined) ends.set(id, until)
    }),
  )
  if (ends.size === 0) return deliveries
  return deliveries.map((delivery) => {
    const until = isWaiting(delivery) ? ends.get(delivery.subscriptionId) : undefined
    const isEarlier = until !== undefined && (delivery.nextAttemptAt?.getTime() ?? 0) < until.getTime()
    return isEarlier ? { ...delivery, nextAttemptAt: until, pausedUntil: until } : delivery
  })
}

/** Whether the delivery is attempted next if nothing pauses its subscription. A retry may wait for its subject. */
function isWaiting({ state, nextAttemptAt }: DeliveryRecord): boolean {
  return state === 'pending' || (state === 'retrying' && nextAttemptAt !== undefined)
}
