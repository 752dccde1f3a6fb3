import { assertAccountId } from './accounts.ts'
import { CallboardError } from './errors.ts'
import { idFromUuid, uuidFromId } from './id.ts'
import type { Mode } from './mode.ts'
import type { PageCursors, PageQuery } from './page-cursors.ts'
import type { HealthStore, OverviewState, SubscriptionCounts, SubscriptionWithHealth } from './ports/health-store.ts'
import type { SubscriptionRef } from './ports/subscription-store.ts'
import { assertText } from './text-rules.ts'

export interface OverviewQuery extends PageQuery {
  /** `active`, `disabled` or `failing` ones only: active, and their last tries failed. */
  readonly state?: OverviewState | undefined
  /** A part of target URL, external reference, integration or description, 1 to 200 characters, as plain text. */
  readonly search?: string | undefined
}

/** A page of subscriptions, newest first. With a search it may hold fewer than were asked for, and others follow all the same. */
export interface SubscriptionsOverview {
  readonly subscriptions: readonly SubscriptionWithHealth[]
  /** Null: this is the last page. */
  readonly nextCursor: string | null
  /** Of the account and mode, whatever was asked for. */
  readonly counts: SubscriptionCounts
}

export interface SubscriptionHealthReading {
  /** Subscriptions that are not removed, page by page, and how they do. Throws `VALIDATION_FAILED`. */
  overview(account: string, mode: Mode, query?: OverviewQuery): Promise<SubscriptionsOverview>
  /** One of them; undefined when it is not there. */
  health(ref: SubscriptionRef): Promise<SubscriptionWithHealth | undefined>
}

const STATES: readonly OverviewState[] = ['active', 'disabled', 'failing']
const SEARCH_LENGTH = { min: 1, max: 200 }

export function createSubscriptionHealth(store: HealthStore, cursors: PageCursors): SubscriptionHealthReading {
  return {
    async overview(account, mode, { state, search, ...query } = {}) {
      assertAccountId('account', account)
      if (state !== undefined && !STATES.includes(state)) {
        const message = `state must be one of ${STATES.join(', ')}.`
        throw new CallboardError('VALIDATION_FAILED', message, { issues: [{ path: 'state', message }] })
      }
      if (search !== undefined) assertText('search', search, SEARCH_LENGTH)
      const binding = [account, mode, 'subscriptions', state ?? null, search ?? null]
      const { limit, place } = await cursors.open(query, binding)
      const before = place && idFromUuid('sub', place.uuid)
      const page = await store.overview({ accountId: account, mode, state, search, before, limit })
      const next = page.next === undefined ? undefined : { number: 0, uuid: uuidFromId('sub', page.next) }
      return {
        subscriptions: page.subscriptions,
        nextCursor: await cursors.close(next, binding),
        counts: page.counts,
      }
    },
    async health(ref) {
      assertAccountId('accountId', ref.accountId)
      return store.find(ref)
    },
  }
}
