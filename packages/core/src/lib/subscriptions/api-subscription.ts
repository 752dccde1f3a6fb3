import { isId } from '../id.ts'
import { isValidKey } from '../keys/is-valid-key.ts'
import { standingOf } from '../lanes/standing.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { HealthStore, SubscriptionWithHealth } from '../ports/health-store.ts'
import type { KeyStore } from '../ports/key-store.ts'
import type { SubscriptionRecord } from '../ports/subscription-record.ts'
import { secretVersion } from '../secrets/secret-version.ts'
import { unknownSubscription } from './changeable.ts'
import { DISABLED_ADVICE, type DisabledAdvice } from './disabled-advice.ts'

/** A subscription as the API shows it to a key: without its secrets. */
export interface ApiSubscription extends Omit<SubscriptionWithHealth, 'secrets' | 'personalData'> {
  /** Only the origin, unless the key has `webhooks.write`: the path and the query are often a capability. */
  readonly targetUrl: string
  /**
   * Whether deliveries contain personal data at this moment. For a disabled subscription: whether they would, if it
   * were enabled.
   */
  readonly personalData: boolean
  readonly secretVersion: string
  /** Undefined while the subscription is active. */
  readonly advice: DisabledAdvice | undefined
}

export interface ApiSubscriptionReading {
  /** Finds a subscription created through the API. Throws `NOT_FOUND`. */
  find(caller: Caller, subscriptionId: string): Promise<ApiSubscription>
}

export interface ApiSubscriptionReadingOptions {
  readonly health: HealthStore
  readonly keys: Pick<KeyStore, 'find'>
  readonly now: () => number
}

export function createApiSubscriptionReading({
  health,
  keys,
  now,
}: ApiSubscriptionReadingOptions): ApiSubscriptionReading {
  const seesPersonalData = async ({ accountId, source, confirmedBy }: SubscriptionRecord): Promise<boolean> => {
    const key = confirmedBy === undefined ? undefined : await keys.find(accountId, confirmedBy)
    const valid = key !== undefined && isValidKey(key, now()) ? key : undefined
    return standingOf({ state: 'active', source, personalData: undefined }, valid).personalData
  }
  const shownTo = async (
    { scopes }: Caller,
    { secrets, targetUrl, ...subscription }: SubscriptionWithHealth,
  ): Promise<ApiSubscription> => {
    const { disabledReason } = subscription
    return {
      ...subscription,
      targetUrl: scopes.includes('webhooks.write') ? targetUrl : new URL(targetUrl).origin,
      personalData: await seesPersonalData({ ...subscription, targetUrl, secrets }),
      secretVersion: (await secretVersion(secrets[0])) ?? '',
      advice: disabledReason && DISABLED_ADVICE[disabledReason],
    }
  }
  return {
    async find(caller, id) {
      const { account, mode } = caller
      const found = isId('sub', id) ? await health.findWithHealth({ accountId: account.id, mode, id }) : undefined
      if (found?.source !== 'api') throw unknownSubscription()
      return shownTo(caller, found)
    },
  }
}
