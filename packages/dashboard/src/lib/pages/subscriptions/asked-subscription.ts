import type { OwnedRef, SubscriptionRecord } from '@callboard/core'
import { changeable, unknownSubscription } from '@callboard/core/engine'
import { isId, type SubscriptionWithHealth } from '@callboard/core/store'
import type { Call } from '../../call.ts'

/** The subscription that the path names, in the viewer's account and mode alone. Throws `NOT_FOUND`. */
export async function askedSubscription(call: Call): Promise<SubscriptionRecord> {
  return there(await call.callboard.subscriptions.find(askedRef(call)))
}

/** With how it does. Throws `NOT_FOUND`. */
export async function askedWithHealth(call: Call): Promise<SubscriptionWithHealth> {
  return there(await call.callboard.subscriptions.health(askedRef(call)))
}

/** One that was created here. Throws `NOT_FOUND`, and `SUBSCRIPTION_MANAGED` for one that was created through the API. */
export async function askedOwn(call: Call): Promise<SubscriptionRecord> {
  return changeable(await call.callboard.subscriptions.find(askedRef(call)), 'account')
}

/** What the path names, there or not. Throws `NOT_FOUND` for what is no id. */
export function askedRef({ accountId, mode, params: { id = '' } }: Call): OwnedRef {
  if (!isId('sub', id)) throw unknownSubscription()
  return { accountId, mode, id }
}

function there<Found>(found: Found | undefined): Found {
  if (found === undefined) throw unknownSubscription()
  return found
}
