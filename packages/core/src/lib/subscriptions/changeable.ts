import { CallboardError } from '../errors.ts'
import type { SubscriptionRecord, SubscriptionSource } from '../ports/subscription-record.ts'
import type { Actor } from './who-may-enable.ts'

/**
 * Which subscriptions each actor may change, by the source of the subscription. The account's people cannot change a
 * subscription created through the API, because its integration manages it.
 */
export const CHANGES: Readonly<Record<Actor, readonly SubscriptionSource[]>> = {
  account: ['dashboard'],
  platform: ['dashboard', 'api'],
}

/**
 * Returns the subscription if it exists and this actor may change it.
 *
 * @throws CallboardError `NOT_FOUND`, `SUBSCRIPTION_MANAGED`.
 */
export function changeable<Found extends Pick<SubscriptionRecord, 'source'>>(
  found: Found | undefined,
  by: Actor,
): Found {
  if (found === undefined) throw unknownSubscription()
  if (!CHANGES[by].includes(found.source))
    throw new CallboardError(
      'SUBSCRIPTION_MANAGED',
      'The subscription was created through the API. Change it in the integration that manages it.',
    )
  return found
}

export function disabledByPlatform(): CallboardError {
  return new CallboardError(
    'DISABLED_BY_PLATFORM',
    'The platform disabled this subscription. Only the platform can enable it.',
  )
}

export function unknownSubscription(): CallboardError {
  return new CallboardError('NOT_FOUND', 'There is no such subscription.')
}
