import { isId } from '../id.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'
import type { ApiSubscription, ApiSubscriptionReading } from './api-subscription.ts'
import { apiSubscriptionChanges, createApiSubscriptionParser } from './api-subscription-input.ts'
import { changed, changeSubscription } from './change-subscription.ts'
import { unknownSubscription } from './changeable.ts'
import { moveSubscription } from './move-subscription.ts'
import { type SubscriptionKeeping, type SubscriptionWithSecret, storeSubscription } from './store-subscription.ts'
import { subscriptionIdentity } from './subscription-identity.ts'
import { readKinds, type SubscriptionRules } from './subscription-rules.ts'
import { ENABLES_FROM } from './who-may-enable.ts'

/** The methods with which integrations manage subscriptions through the API. */
export interface ApiSubscriptions extends ApiSubscriptionReading {
  /**
   * Creates a subscription for the caller, or finds the existing one with the same identity. An existing subscription
   * that is disabled is enabled, unless the account or the platform disabled it. A new subscription is pinned to the
   * caller's format version, unless the input names another one.
   *
   * Throws `VALIDATION_FAILED` with one issue per field, `SUBSCRIPTION_LIMIT_REACHED`, and `RATE_LIMITED` when the
   * account has created too many subscriptions within a minute.
   */
  create(caller: Caller, input: unknown): Promise<SubscriptionWithSecret>
  /**
   * Pins a subscription created through the API to a format version, and makes the caller's key its confirming key
   * (`confirmedBy`). Changes nothing if it is pinned to this version already. Throws `VALIDATION_FAILED` and
   * `NOT_FOUND`.
   */
  change(caller: Caller, subscriptionId: string, input: unknown): Promise<ApiSubscription>
  /** Removes a subscription created through the API. Removing it a second time is not an error. Throws `NOT_FOUND`. */
  remove(caller: Caller, subscriptionId: string): Promise<void>
}

/**
 * @param reading reads subscriptions for the API.
 * @param keepingFor returns the dependencies for a request, given the id of its key. Their recorder records each change
 *   as a change by that key.
 */
export function createApiSubscriptions(
  reading: ApiSubscriptionReading,
  keepingFor: (keyId: string) => SubscriptionKeeping,
  rules: SubscriptionRules,
): ApiSubscriptions {
  const parse = createApiSubscriptionParser(rules)
  return {
    ...reading,
    async create(caller, input) {
      const { account, mode, keyId } = caller
      const { normalizedUrl, apiVersion = caller.apiVersion, ...fields } = parse(input, caller)
      const { targetUrl, eventTypes, integration, externalRef } = fields
      return storeSubscription(keepingFor(keyId), {
        accountId: account.id,
        mode,
        source: 'api',
        identity: await subscriptionIdentity({ integration, normalizedUrl, eventTypes, externalRef }),
        enablesFrom: ENABLES_FROM.integration,
        targetUrl,
        eventTypes,
        integration,
        externalRef,
        apiVersion,
        confirmedBy: keyId,
        personalData: undefined,
      })
    },
    async change(caller, id, input) {
      const { account, mode, keyId } = caller
      const keeping = keepingFor(keyId)
      const { apiVersion } = readKinds(apiSubscriptionChanges, input)
      const find = async (): Promise<SubscriptionRecord> => {
        const found = isId('sub', id) ? await keeping.store.find({ accountId: account.id, mode, id }) : undefined
        if (found?.source !== 'api') throw unknownSubscription()
        return found
      }
      await moveSubscription(keeping, find, { apiVersion, sources: ['api'], confirmedBy: keyId })
      return reading.find(caller, id)
    },
    async remove({ account, mode, keyId }, id) {
      if (!isId('sub', id)) throw unknownSubscription()
      const ref = { accountId: account.id, mode, id }
      changed(await changeSubscription(keepingFor(keyId), ref, { act: 'remove', sources: ['api'] }))
    },
  }
}
