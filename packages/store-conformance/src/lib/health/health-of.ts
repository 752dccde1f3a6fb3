import type { SubscriptionWithHealth } from '@callboard/core'
import type { Store, SubscriptionRef } from '@callboard/core/store'

/** Reads the health of a subscription, and throws if it does not exist. */
export async function healthOf(store: Store<unknown>, ref: SubscriptionRef): Promise<SubscriptionWithHealth['health']> {
  const found = await store.health.findWithHealth(ref)
  if (found === undefined) throw new Error('there is no such subscription')
  return found.health
}
