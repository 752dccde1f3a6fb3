import type { Store, SubscriptionRef, SubscriptionWithHealth } from '@callboard/core/store'

/** Of one that is there. */
export async function healthOf(store: Store<unknown>, ref: SubscriptionRef): Promise<SubscriptionWithHealth['health']> {
  const found = await store.health.find(ref)
  if (found === undefined) throw new Error('there is no such subscription')
  return found.health
}
