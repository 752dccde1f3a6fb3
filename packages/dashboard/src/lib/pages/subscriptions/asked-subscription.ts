import { CallboardError, isId, type SubscriptionRecord, type SubscriptionRef } from '@callboard/core'
import type { Call } from '../../call.ts'

/** The subscription that the path names, in the viewer's account and mode alone. Throws `NOT_FOUND`. */
export async function askedSubscription(call: Call): Promise<SubscriptionRecord> {
  const found = await call.callboard.subscriptions.find(askedRef(call))
  if (found === undefined) throw new CallboardError('NOT_FOUND', 'There is no such subscription.')
  return found
}

/** What the path names, there or not. Throws `NOT_FOUND` for what is no id. */
export function askedRef({ accountId, mode, params: { id = '' } }: Call): SubscriptionRef {
  if (!isId('sub', id)) throw new CallboardError('NOT_FOUND', 'There is no such subscription.')
  return { accountId, mode, id }
}
