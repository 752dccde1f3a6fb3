import type { OwnedRef, SubscriptionRecord, SubscriptionWithHealth } from '@callboard/core'
import { changeable, unknownSubscription } from '@callboard/core/engine'
import { isSubscriptionId } from '@callboard/core/store'
import type { Call } from '../../call.ts'

/** Finds the subscription that the path names, in the viewer's account and mode only. Throws `NOT_FOUND`. */
export async function askedSubscription(call: Call): Promise<SubscriptionRecord> {
  return found(await call.callboard.subscriptions.find(askedRef(call)))
}

/** Like {@link askedSubscription}, but with the subscription's health. Throws `NOT_FOUND`. */
export async function askedWithHealth(call: Call): Promise<SubscriptionWithHealth> {
  return found(await call.callboard.subscriptions.health(askedRef(call)))
}

/**
 * Like {@link askedSubscription}, but only for a subscription created in the dashboard. Throws `NOT_FOUND`, or
 * `SUBSCRIPTION_MANAGED` if it was created through the API.
 */
export async function askedOwn(call: Call): Promise<SubscriptionRecord> {
  return changeable(await call.callboard.subscriptions.find(askedRef(call)), 'account')
}

/**
 * A reference to the subscription that the path names. Throws `NOT_FOUND` if the id is malformed, but does not check
 * whether the subscription exists.
 */
export function askedRef({ accountId, mode, params: { id = '' } }: Call): OwnedRef {
  if (!isSubscriptionId(id)) throw unknownSubscription()
  return { accountId, mode, id }
}

function found<Subscription>(subscription: Subscription | undefined): Subscription {
  if (subscription === undefined) throw unknownSubscription()
  return subscription
}
