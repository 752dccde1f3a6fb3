import type { OfSubscription } from '../accounts/owner.ts'
import type { PageQuery } from '../cursors/page-cursors.ts'
import { pageLimitIssue } from '../cursors/page-cursors.ts'
import { CallboardError } from '../errors.ts'
import { isId } from '../id.ts'
import { keySeesPersonalData } from '../personal-data/who-may-see.ts'
import type { Caller } from '../ports/admission-store.ts'
import { DELIVERY_STATES, type DeliveryState } from '../ports/delivery-record.ts'
import type { SubscriptionStore } from '../ports/subscription-store.ts'
import { findApiSubscription } from '../subscriptions/find-api-subscription.ts'
import type { Issue } from '../validation/issue.ts'
import { choiceIssue, validationFailed } from '../validation/validation.ts'
import type { AttemptsPage, Deliveries, DeliveriesPage, ResentRangeStep } from './deliveries.ts'
import { parseResendRange } from './resend-range-input.ts'

/** Filters as a caller sent them. */
export interface ApiDeliveriesQuery extends PageQuery {
  /** One of `DELIVERY_STATES`. */
  readonly state?: string | undefined
  /** The id of an event: the list then holds the delivery of this event, or nothing. */
  readonly eventId?: string | undefined
}

/**
 * The methods with which integrations read and resend deliveries through the API. Every method throws `NOT_FOUND` if
 * the caller's account and mode have no such subscription, or if the subscription was not created through the API.
 */
export interface ApiDeliveries {
  /** Lists the deliveries of a subscription, newest event first. Throws `VALIDATION_FAILED`. */
  list(caller: Caller, subscriptionId: string, query: ApiDeliveriesQuery): Promise<DeliveriesPage>
  /**
   * Lists the attempts of a delivery, newest first. Only a key with `people.read` gets the target's responses, because
   * a target may echo the personal data that it was sent. Throws `VALIDATION_FAILED`, and `NOT_FOUND` if the
   * subscription has no delivery of this event.
   */
  attempts(caller: Caller, subscriptionId: string, eventId: string, query: PageQuery): Promise<AttemptsPage>
  /** Resends an event, as `Deliveries.resend` does. Also throws `RATE_LIMITED`. */
  resend(caller: Caller, subscriptionId: string, eventId: string): ReturnType<Deliveries['resend']>
  /**
   * Takes one step of resending a range, as `Deliveries.resendRange` does. Also throws `VALIDATION_FAILED` with an
   * issue for each invalid field, and `RATE_LIMITED`.
   */
  resendRange(caller: Caller, subscriptionId: string, input: unknown): Promise<ResentRangeStep>
}

/**
 * @param deliveriesOf returns the deliveries for a request, given the id of its key. Their recorder records each change
 *   as a change by that key.
 */
export function createApiDeliveries(
  store: Pick<SubscriptionStore, 'find'>,
  deliveriesOf: (keyId: string) => Deliveries,
): ApiDeliveries {
  const find = async (caller: Caller, subscriptionId: string): Promise<OfSubscription> => {
    const { accountId, mode } = await findApiSubscription(store, caller, subscriptionId)
    return { accountId, mode, subscriptionId }
  }
  return {
    async list(caller, subscriptionId, { state, eventId, ...page }) {
      const issues = [
        isState(state) ? undefined : choiceIssue('state', state, DELIVERY_STATES),
        eventId === undefined || isId('evt', eventId) ? undefined : EVENT_ID,
        page.limit === undefined ? undefined : pageLimitIssue(page.limit),
      ].filter((issue) => issue !== undefined)
      if (!isState(state) || issues.length > 0) throw validationFailed(issues)
      const ref = await find(caller, subscriptionId)
      return deliveriesOf(caller.keyId).list({ ...page, state, eventId, ...ref })
    },
    async attempts(caller, subscriptionId, eventId, query) {
      const issue = query.limit === undefined ? undefined : pageLimitIssue(query.limit)
      if (issue !== undefined) throw validationFailed(issue)
      const ref = await find(caller, subscriptionId)
      const deliveries = deliveriesOf(caller.keyId)
      const [delivery, page] = await Promise.all([
        deliveries.find({ ...ref, eventId }),
        deliveries.attempts({ ...query, eventId, ...ref }),
      ])
      // Attempts can outlast the record of a delivery that a resend added.
      if (delivery === undefined && page.attempts.length === 0)
        throw new CallboardError('NOT_FOUND', 'The subscription has no delivery of this event.')
      if (keySeesPersonalData(caller.scopes)) return page
      return { ...page, attempts: page.attempts.map((attempt) => ({ ...attempt, response: undefined })) }
    },
    async resend(caller, subscriptionId, eventId) {
      return deliveriesOf(caller.keyId).resend({ eventId, ...(await find(caller, subscriptionId)) })
    },
    async resendRange(caller, subscriptionId, input) {
      const range = parseResendRange(input)
      return deliveriesOf(caller.keyId).resendRange({ ...range, ...(await find(caller, subscriptionId)) })
    },
  }
}

function isState(state: string | undefined): state is DeliveryState | undefined {
  return state === undefined || DELIVERY_STATES.some((each) => each === state)
}

const EVENT_ID: Issue = {
  path: 'eventId',
  code: 'FORMAT',
  message: 'eventId must be the id of an event, such as evt_….',
}
