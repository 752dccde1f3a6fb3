import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'

/** The display name of a subscription's integration, or the integration's `name` if the platform no longer lists it. */
export function integrationName({ integration }: Pick<SubscriptionRecord, 'integration'>, { callboard }: Call): string {
  return callboard.integrations.find(({ name }) => name === integration)?.displayName ?? integration
}

/** Names the manager of a subscription in a column with the heading “Integration”: “Zapier”, “API”, “Created here”. */
export function managerName(subscription: SubscriptionRecord, call: Call): string {
  const { createdHere, api } = call.texts.subscriptions
  if (subscription.source === 'dashboard') return createdHere
  return subscription.integration === 'other' ? api : integrationName(subscription, call)
}

/** Names the manager of a subscription: “Managed by Zapier”, “Created here”. */
export function managedBy(subscription: SubscriptionRecord, call: Call): string {
  if (subscription.source === 'dashboard') return call.texts.subscriptions.createdHere
  return subscription.integration === 'other'
    ? call.texts.subscriptions.managedByApi
    : call.texts.subscriptions.managedBy(integrationName(subscription, call))
}

/** Names the manager of a subscription created through the API, and says where to change the subscription. */
export function whereToChange(subscription: SubscriptionRecord, call: Call): string {
  return subscription.integration === 'other'
    ? call.texts.subscriptions.changeThroughApi
    : call.texts.subscriptions.changeIn(integrationName(subscription, call))
}
