import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'

/** The display name of a subscription's integration, or the integration's `name` if the platform no longer lists it. */
export function integrationName({ integration }: SubscriptionRecord, { callboard }: Call): string {
  return callboard.integrations.find(({ name }) => name === integration)?.displayName ?? integration
}

/** Names the manager of a subscription: “Managed by Zapier”, “Created here”. */
export function managedBy(subscription: SubscriptionRecord, call: Call): string {
  if (subscription.source === 'dashboard') return 'Created here'
  return subscription.integration === 'other'
    ? 'Managed through the API'
    : `Managed by ${integrationName(subscription, call)}`
}

/** Names the manager of a subscription created through the API, and says where to change the subscription. */
export function whereToChange(subscription: SubscriptionRecord, call: Call): string {
  return subscription.integration === 'other'
    ? 'Managed through the API. Change or remove it with the program that created it.'
    : `Managed by ${integrationName(subscription, call)}. Change the automation or turn it off there.`
}
