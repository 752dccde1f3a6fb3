import type { PageCursors, PageQuery } from '../cursors/page-cursors.ts'
import { idFromUuid, uuidFromId } from '../id.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { HealthStore, SubscriptionWithHealth } from '../ports/health-store.ts'
import { secretVersion } from '../secrets/secret-version.ts'
import { TARGET_URL_MAX_LENGTH } from '../targets/target-url.ts'
import { textIssue } from '../validation/text-rules.ts'
import { choiceIssue, validationFailed } from '../validation/validation.ts'
import { unknownSubscription } from './changeable.ts'
import { DISABLED_ADVICE, type DisabledAdvice } from './disabled-advice.ts'
import { isSubscriptionId } from './subscription-id.ts'
import { EXTERNAL_REF_LENGTH } from './subscription-rules.ts'

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

/** Selects subscriptions by exact values. */
export interface ApiSubscriptionsQuery extends PageQuery {
  readonly integration?: string | undefined
  readonly externalRef?: string | undefined
  readonly targetUrl?: string | undefined
  /** `active` or `disabled`. */
  readonly state?: string | undefined
}

export interface ApiSubscriptionsPage {
  /** Newest first. */
  readonly data: readonly ApiSubscription[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

export interface ApiSubscriptionReading {
  /** Lists the subscriptions created through the API. Throws `VALIDATION_FAILED`. */
  list(caller: Caller, query: ApiSubscriptionsQuery): Promise<ApiSubscriptionsPage>
  /** Finds a subscription created through the API. Throws `NOT_FOUND`. */
  find(caller: Caller, subscriptionId: string): Promise<ApiSubscription>
}

export interface ApiSubscriptionReadingOptions {
  readonly health: Pick<HealthStore, 'findWithHealth' | 'overview'>
  readonly cursors: PageCursors
}

export function createApiSubscriptionReading({
  health,
  cursors,
}: ApiSubscriptionReadingOptions): ApiSubscriptionReading {
  const shownTo = async (
    { scopes }: Caller,
    { secrets, targetUrl, ...subscription }: SubscriptionWithHealth,
  ): Promise<ApiSubscription> => {
    const { disabledReason } = subscription
    return {
      ...subscription,
      targetUrl: scopes.includes('webhooks.write') ? targetUrl : new URL(targetUrl).origin,
      personalData: subscription.health.personalData,
      secretVersion: (await secretVersion(secrets[0])) ?? '',
      advice: disabledReason && DISABLED_ADVICE[disabledReason],
    }
  }
  return {
    async list(caller, { state, integration, externalRef, targetUrl, ...page }) {
      assertQuery({ state, integration, externalRef, targetUrl })
      const { account, mode } = caller
      const conditions = [state, integration, externalRef, targetUrl].map((condition) => condition ?? null)
      const binding = [account.id, mode, 'api subscriptions', ...conditions]
      const { limit, place } = await cursors.open(page, binding)
      const { subscriptions, next } = await health.overview({
        accountId: account.id,
        mode,
        state: STATES.find((each) => each === state),
        search: undefined,
        only: { source: 'api', integration, externalRef, targetUrl },
        before: place && idFromUuid('sub', place.uuid),
        limit,
      })
      return {
        data: await Promise.all(subscriptions.map((subscription) => shownTo(caller, subscription))),
        nextCursor: await cursors.close(
          next === undefined ? undefined : { number: 0, uuid: uuidFromId('sub', next) },
          binding,
        ),
      }
    },
    async find(caller, id) {
      const { account, mode } = caller
      const found = isSubscriptionId(id) ? await health.findWithHealth({ accountId: account.id, mode, id }) : undefined
      if (found?.source !== 'api') throw unknownSubscription()
      return shownTo(caller, found)
    },
  }
}

const STATES = ['active', 'disabled'] as const

/** A text that no subscription can have is refused, so that a mistyped condition is not taken for an empty list. */
const LENGTHS = {
  integration: EXTERNAL_REF_LENGTH,
  externalRef: EXTERNAL_REF_LENGTH,
  targetUrl: { min: 1, max: TARGET_URL_MAX_LENGTH },
} as const

function assertQuery({ state, ...texts }: Omit<ApiSubscriptionsQuery, keyof PageQuery>): void {
  const issues = [
    state === undefined ? undefined : choiceIssue('state', state, STATES),
    ...(['integration', 'externalRef', 'targetUrl'] as const).map((name) =>
      texts[name] === undefined ? undefined : textIssue(name, texts[name], LENGTHS[name]),
    ),
  ].filter((issue) => issue !== undefined)
  if (issues.length > 0) throw validationFailed(issues)
}
