import type { SubscriptionRecord } from '@callboard/core'
import type { Call } from '../../call.ts'

/** What people call the integration of a subscription; one that the platform names no more goes by its own name. */
export function integrationName({ integration }: SubscriptionRecord, { callboard }: Call): string {
  return callboard.integrations.find(({ name }) => name === integration)?.displayName ?? integration
}

/** Who changes a subscription, as a mark: “Managed by Zapier”, “Created here”. */
export function managedBy(subscription: SubscriptionRecord, call: Call): string {
  if (subscription.source === 'dashboard') return 'Created here'
  return subscription.integration === 'other'
    ? 'Managed through the API'
    : `Managed by ${integrationName(subscription, call)}`
}

/** The same of one that was created through the API, with where it is changed. */
export function whereToChange(subscription: SubscriptionRecord, call: Call): string {
  return subscription.integration === 'other'
    ? 'Managed through the API: the program that made it changes and removes it.'
    : `Managed by ${integrationName(subscription, call)}: switch the automation off or change it there.`
}
