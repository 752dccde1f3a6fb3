import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { askedRef } from './asked-subscription.ts'

/** Answers a GET of a URL that is meant for POST requests: redirects to the subscription's page. */
export async function backToSubscription(call: Call): Promise<Answer> {
  return { redirect: call.href(`/subscriptions/${askedRef(call).id}`) }
}

/** Disables a subscription created in the dashboard. */
export async function disableSubscription(call: Call): Promise<Answer> {
  const ref = askedRef(call)
  await call.callboard.subscriptions.disable({ ...ref, by: 'account' })
  return { redirect: call.href(`/subscriptions/${ref.id}`, { done: 'disabled' }) }
}

/** Enables a subscription created in the dashboard, unless the platform disabled it. */
export async function enableSubscription(call: Call): Promise<Answer> {
  const ref = askedRef(call)
  await call.callboard.subscriptions.enable({ ...ref, by: 'account' })
  return { redirect: call.href(`/subscriptions/${ref.id}`, { done: 'enabled' }) }
}

/** Removes a subscription created in the dashboard. */
export async function removeSubscription(call: Call): Promise<Answer> {
  await call.callboard.subscriptions.remove({ ...askedRef(call), by: 'account' })
  return { redirect: call.href('/subscriptions', { done: 'removed' }) }
}
