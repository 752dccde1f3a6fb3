import { isId } from '../id.ts'
import type { Caller } from '../ports/admission-store.ts'
import { createApiSubscriptionParser } from './api-subscription-input.ts'
import { unknownSubscription } from './changeable.ts'
import { type SubscriptionKeeping, type SubscriptionWithSecret, storeSubscription } from './store-subscription.ts'
import { subscriptionIdentity } from './subscription-identity.ts'
import type { SubscriptionRules } from './subscription-rules.ts'
import { ENABLES_FROM } from './who-may-enable.ts'

/** What an integration does with its subscriptions, through the API and with a key. */
export interface ApiSubscriptions {
  /**
   * Creates a subscription for the holder of a key, or finds the same one and enables it (contract, 4.4). Throws
   * `VALIDATION_FAILED` with one issue a field, `SUBSCRIPTION_LIMIT_REACHED`.
   */
  create(caller: Caller, input: unknown): Promise<SubscriptionWithSecret>
  /** Removes one that was created through the API (contract, 4.5); a second time is no error. Throws `NOT_FOUND`. */
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
