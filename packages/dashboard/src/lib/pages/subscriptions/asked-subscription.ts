import {
  CallboardError,
  isId,
  type SubscriptionRecord,
  type SubscriptionRef,
  type SubscriptionWithHealth,
} from '@callboard/core'
import type { Call } from '../../call.ts'

/** The subscription that the path names, in the viewer's account and mode alone. Throws `NOT_FOUND`. */
export async function askedSubscription(call: Call): Promise<SubscriptionRecord> {
  return there(await call.callboard.subscriptions.find(askedRef(call)))
}

/** With how it does. Throws `NOT_FOUND`. */
export async function askedWithHealth(call: Call): Promise<SubscriptionWithHealth> {
  return there(await call.callboard.subscriptions.health(askedRef(call)))
}

/** One that was made here. Throws `NOT_FOUND`, and `SUBSCRIPTION_MANAGED` for one that was made through the API. */
export async function askedOwn(call: Call): Promise<SubscriptionRecord> {
  const found = await askedSubscription(call)
  if (found.source === 'dashboard') return found
  throw new CallboardError(
    'SUBSCRIPTION_MANAGED',
    'It was made through the API: the integration that made it changes it.',
  )
}

/** What the path names, there or not. Throws `NOT_FOUND` for what is no id. */
export function askedRef({ accountId, mode, params: { id = '' } }: Call): SubscriptionRef {
  if (!isId('sub', id)) throw unknown()
  return { accountId, mode, id }
}

function there<Found>(found: Found | undefined): Found {
  if (found === undefined) throw unknown()
  return found
}

function unknown(): CallboardError {
  return new CallboardError('NOT_FOUND', 'There is no such subscription.')
}
