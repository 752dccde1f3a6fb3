import { type OwnedRef, type Owner, readOwner, readRef } from '../accounts/owner.ts'
import { assertPageLimit, type PageCursors, type PageQuery } from '../cursors/page-cursors.ts'
import { idFromUuid, uuidFromId } from '../id.ts'
import {
  ACTIVITY_RANGES,
  type AccountActivity,
  type ActivityRange,
  type AttemptHistory,
  type HealthStore,
  OVERVIEW_STATES,
  type OverviewState,
  type SubscriptionCounts,
  type SubscriptionWithHealth,
} from '../ports/health-store.ts'
import { assertText } from '../validation/text-rules.ts'
import { assertChoice } from '../validation/validation.ts'

export interface OverviewQuery extends Owner, PageQuery {
  /**
   * Only subscriptions in this state; all by default. `failing` selects active subscriptions with failed attempts since
   * their last success.
   */
  readonly state?: OverviewState | undefined
  /** A string to find in the target URL, external reference, integration or description; 1 to 200 characters. */
  readonly search?: string | undefined
}

/**
 * A page of subscriptions, newest first. With a search, a page that is shorter than the limit is not necessarily the
 * last.
 */
export interface SubscriptionsOverview {
  readonly subscriptions: readonly SubscriptionWithHealth[]
  /** Null on the last page. */
  readonly nextCursor: string | null
  /** Counts for the whole account and mode, regardless of the query. */
  readonly counts: SubscriptionCounts
}

export interface SubscriptionHealthReading {
  /** Lists the subscriptions that are not removed, each with its health. Throws `VALIDATION_FAILED`. */
  overview(query: OverviewQuery): Promise<SubscriptionsOverview>
  /**
   * Sums up the deliveries of an account's newest 500 subscriptions over the last 24 hours (`day`, the default), 7 days
   * (`week`) or 30 days (`month`). `slowest` lists at most `limit` subscriptions (1 to 100; 5 by default), and leaves out
   * those with fewer than 10 attempts, unless all have fewer.
   */
  activity(
    query: Owner & { readonly range?: ActivityRange | undefined; readonly limit?: number | undefined },
  ): Promise<AccountActivity>
  /** Finds one subscription with its health; undefined when it does not exist or is removed. */
  health(ref: OwnedRef): Promise<SubscriptionWithHealth | undefined>
  /**
   * Sums up the attempts of one subscription: how long the newest 1,000 took, and how many succeeded and failed in each
   * minute of the last hour and on each of the last 30 days. `minutes` is undefined when there were 1,000 attempts
   * or more in the last hour. Undefined when the subscription does not exist or is removed.
   */
  history(ref: OwnedRef): Promise<AttemptHistory | undefined>
}

const SEARCH_LENGTH = { min: 1, max: 200 }

export function createSubscriptionHealth(store: HealthStore, cursors: PageCursors): SubscriptionHealthReading {
  return {
    async overview({ state, search, ...query }) {
      const { accountId, mode } = readOwner(query)
      if (state !== undefined) assertChoice('state', state, OVERVIEW_STATES)
      if (search !== undefined) assertText('search', search, SEARCH_LENGTH)
      const binding = [accountId, mode, 'subscriptions', state ?? null, search ?? null]
      const { limit, place } = await cursors.open(query, binding)
      const before = place && idFromUuid('sub', place.uuid)
      const page = await store.overview({ accountId, mode, state, search, before, limit })
      const next = page.next === undefined ? undefined : { number: 0, uuid: uuidFromId('sub', page.next) }
      return {
        subscriptions: page.subscriptions,
        nextCursor: await cursors.close(next, binding),
        counts: page.counts,
      }
    },
    async activity({ range = 'day', limit = 5, ...owner }) {
      const { accountId, mode } = readOwner(owner)
      assertChoice('range', range, ACTIVITY_RANGES)
      assertPageLimit(limit)
      return store.activity({ accountId, mode, range, limit })
    },
    health: async (ref) => store.findWithHealth(readRef(ref)),
    history: async (ref) => store.history(readRef(ref)),
  }
}
