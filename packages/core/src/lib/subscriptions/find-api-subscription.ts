import type { Caller } from '../ports/admission-store.ts'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'
import type { SubscriptionStore } from '../ports/subscription-store.ts'
import { unknownSubscription } from './changeable.ts'
import { isSubscriptionId } from './subscription-id.ts'

/**
 * Finds a subscription of the caller's account and mode that was created through the API.
 *
 * @throws CallboardError `NOT_FOUND`
 */
export async function findApiSubscription(
  store: Pick<SubscriptionStore, 'find'>,
  { account, mode }: Pick<Caller, 'account' | 'mode'>,
  subscriptionId: string,
): Promise<SubscriptionRecord> {
  const ref = { accountId: account.id, mode, id: subscriptionId }
  const found = isSubscriptionId(subscriptionId) ? await store.find(ref) : undefined
  if (found?.source !== 'api') throw unknownSubscription()
  return found
}
