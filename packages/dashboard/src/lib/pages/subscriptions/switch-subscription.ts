import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { askedRef } from './asked-subscription.ts'

/** Back to the subscription: for who loads the address of a page that a post has answered. */
export async function backToSubscription(call: Call): Promise<Answer> {
  return { redirect: call.href(`/subscriptions/${askedRef(call).id}`) }
}

/** Stops deliveries to a subscription made here. */
export async function disableSubscription(call: Call): Promise<Answer> {
  const ref = askedRef(call)
  await call.callboard.subscriptions.own.disable(ref)
  return { redirect: call.href(`/subscriptions/${ref.id}`, { done: 'disabled' }) }
}

/** Goes on with deliveries, from what is new. */
export async function enableSubscription(call: Call): Promise<Answer> {
  const ref = askedRef(call)
  await call.callboard.subscriptions.own.enable(ref)
  return { redirect: call.href(`/subscriptions/${ref.id}`, { done: 'enabled' }) }
}

/** Removes a subscription made here, for good. */
export async function removeSubscription(call: Call): Promise<Answer> {
  await call.callboard.subscriptions.own.remove(askedRef(call))
  return { redirect: call.href('/subscriptions', { done: 'removed' }) }
}
