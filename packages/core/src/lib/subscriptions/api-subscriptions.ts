import { isId } from '../id.ts'
import type { Caller } from '../ports/admission-store.ts'
import { createApiSubscriptionParser } from './api-subscription-input.ts'
import { unknownSubscription } from './changeable.ts'
import { type SubscriptionKeeping, type SubscriptionWithSecret, storeSubscription } from './store-subscription.ts'
import { subscriptionIdentity } from './subscription-identity.ts'
import type { SubscriptionRules } from './subscription-rules.ts'
import { ENABLES_FROM } from './who-may-enable.ts'

/** The methods with which integrations manage subscriptions through the API. */
export interface ApiSubscriptions {
  /**
   * Creates a subscription for the caller, or finds the existing subscription with the same identity. If the existing
   * subscription is disabled, it is also enabled, unless the account or the platform disabled it. Throws
   * `VALIDATION_FAILED` with one issue per field, `SUBSCRIPTION_LIMIT_REACHED`, and `RATE_LIMITED` when the account has
   * created too many subscriptions within a minute.
   */
  create(caller: Caller, input: unknown): Promise<SubscriptionWithSecret>
  /** Removes a subscription created through the API. Removing it a second time is not an error. Throws `NOT_FOUND`. */
  remove(caller: Caller, subscriptionId: string): Promise<void>
}

export function createApiSubscriptions(keeping: SubscriptionKeeping, rules: SubscriptionRules): ApiSubscriptions {
  const parse = createApiSubscriptionParser(rules)
  return {
    async create({ account, mode, keyId }, input) {
      const { targetUrl, normalizedUrl, eventTypes, integration, externalRef } = parse(input)
      return storeSubscription(keeping, {
        accountId: account.id,
        mode,
        source: 'api',
        identity: await subscriptionIdentity({ integration, normalizedUrl, eventTypes, externalRef }),
        enablesFrom: ENABLES_FROM.integration,
        targetUrl,
        eventTypes,
        integration,
        externalRef,
        confirmedBy: keyId,
        personalData: undefined,
      })
    },
    async remove({ account, mode }, id) {
      const removed = isId('sub', id) && (await keeping.store.remove({ accountId: account.id, mode, id }, ['api']))
      if (removed === false || removed === 'unknown') throw unknownSubscription()
    },
  }
}
