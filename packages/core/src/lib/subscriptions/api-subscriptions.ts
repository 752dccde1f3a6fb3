import type { Caller } from '../ports/admission-store.ts'
import type { ApiSubscription, ApiSubscriptionReading } from './api-subscription.ts'
import { readApiSubscriptionChanges, secretRotation } from './api-subscription-changes.ts'
import { createApiSubscriptionParser } from './api-subscription-input.ts'
import { changed, changeSubscription } from './change-subscription.ts'
import { unknownSubscription } from './changeable.ts'
import { findApiSubscription } from './find-api-subscription.ts'
import { reviseSubscription } from './revise-subscription.ts'
import { rotateSecret, type VersionedSecret } from './rotate-secret.ts'
import { type SubscriptionKeeping, type SubscriptionWithSecret, storeSubscription } from './store-subscription.ts'
import { isSubscriptionId } from './subscription-id.ts'
import { subscriptionIdentity } from './subscription-identity.ts'
import { readKinds, type SubscriptionRules } from './subscription-rules.ts'
import { ENABLES_FROM, REPLACES } from './who-may-enable.ts'

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
   * Changes fields and the state of a subscription created through the API, and makes the caller's key its confirming
   * key (`confirmedBy`); all of it or nothing. Nothing changes if all values are the present ones.
   *
   * Throws `VALIDATION_FAILED` with one issue per field, `NOT_FOUND`, `RATE_LIMITED`, `SUBSCRIPTION_EXISTS`,
   * `CHANGE_PENDING` and `DISABLED_BY_PLATFORM`.
   */
  change(caller: Caller, subscriptionId: string, input: unknown): Promise<ApiSubscription>
  /**
   * Rotates the secret of a subscription created through the API, and makes the caller's key its confirming key. The
   * call can be repeated, as {@link RotateSecretOptions.version} says.
   *
   * Throws `VALIDATION_FAILED`, `NOT_FOUND`, `RATE_LIMITED` and `SECRET_ROTATED`.
   */
  rotateSecret(caller: Caller, subscriptionId: string, input: unknown): Promise<VersionedSecret>
  /** Removes a subscription created through the API. Removing it a second time is not an error. Throws `NOT_FOUND`. */
  remove(caller: Caller, subscriptionId: string): Promise<void>
}

/** What a key asks for with `state`: what the account's own people may do in the dashboard. */
const STATES = {
  active: { act: 'enable', from: ENABLES_FROM.account },
  disabled: { act: 'disable', reason: 'account', replaces: REPLACES.account },
} as const

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
      const { apiVersion = caller.apiVersion, ...fields } = parse(input, caller)
      const { targetUrl, eventTypes, integration, externalRef } = fields
      return storeSubscription(keepingFor(keyId), {
        accountId: account.id,
        mode,
        source: 'api',
        identity: await subscriptionIdentity({ integration, targetUrl, eventTypes, externalRef }, rules),
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
      const { state, ...changes } = readApiSubscriptionChanges(input)
      const keeping = { ...keepingFor(caller.keyId), rules }
      const more = { state: state && STATES[state], confirmedBy: caller.keyId }
      await reviseSubscription(keeping, () => findApiSubscription(keeping.store, caller, id), changes, more)
      return reading.find(caller, id)
    },
    async rotateSecret(caller, id, input) {
      const { secretVersion: version, overlapSeconds } = readKinds(secretRotation, input)
      const keeping = keepingFor(caller.keyId)
      return rotateSecret(keeping, () => findApiSubscription(keeping.store, caller, id), {
        version,
        overlapMs: overlapSeconds === undefined ? undefined : overlapSeconds * 1000,
        confirmedBy: caller.keyId,
      })
    },
    async remove({ account, mode, keyId }, id) {
      if (!isSubscriptionId(id)) throw unknownSubscription()
      const ref = { accountId: account.id, mode, id }
      changed(await changeSubscription(keepingFor(keyId), ref, { act: 'remove', sources: ['api'] }))
    },
  }
}
