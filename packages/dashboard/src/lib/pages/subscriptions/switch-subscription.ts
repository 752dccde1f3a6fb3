import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { askedRef } from './asked-subscription.ts'

/** Back to the subscription, when somebody loads the address of a page that answered a post. */
export async function backToSubscription(call: Call): Promise<Answer> {
  return { redirect: call.href(`/subscriptions/${askedRef(call).id}`) }
}

/** Stops deliveries to a subscription created here. */
export async function disableSubscription(call: Call): Promise<Answer> {
  const ref = askedRef(call)
  await call.callboard.subscriptions.disable(ref, { by: 'account' })
  return { redirect: call.href(`/subscriptions/${ref.id}`, { done: 'disabled' }) }
}

/** Goes on with deliveries, from what is new; not where the platform stopped them. */
export async function enableSubscription(call: Call): Promise<Answer> {
  const ref = askedRef(call)
  await call.callboard.subscriptions.enable(ref, { by: 'account' })
  return { redirect: call.href(`/subscriptions/${ref.id}`, { done: 'enabled' }) }
}

/** Removes a subscription created here, for good. */
export async function removeSubscription(call: Call): Promise<Answer> {
  await call.callboard.subscriptions.remove(askedRef(call), { by: 'account' })
  return { redirect: call.href('/subscriptions', { done: 'removed' }) }
}
