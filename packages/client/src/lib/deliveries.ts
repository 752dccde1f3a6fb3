import type { Call } from './call.ts'
import type { CallOptions } from './client-options.ts'
import { createList, type List, type ListQuery } from './list.ts'

/**
 * The state of a delivery.
 * - `pending`: not attempted yet.
 * - `retrying`: failed, and will be attempted again.
 * - `delivered`: succeeded.
 * - `exhausted`: every attempt failed.
 * - `disabled`: ended because the subscription was disabled.
 * - `skipped`: ended on purpose.
 * - `expired`: the event was no longer kept before it could be delivered.
 */
export type DeliveryState = 'pending' | 'retrying' | 'delivered' | ResendableEnd | 'expired'
type ResendableEnd = 'exhausted' | 'disabled' | 'skipped'

/** Selects deliveries. */
export interface DeliveriesQuery extends ListQuery {
  readonly state?: DeliveryState | undefined
  /** Only the delivery of this event. */
  readonly eventId?: string | undefined
}

interface AttemptEnd {
  readonly outcome: 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired'
  /** HTTP status; null if there was no response. */
  readonly status: number | null
  /** A code for why there was no response, such as `timeout`; null if there was one. */
  readonly reason: string | null
  /** Why there was no response, in words; null if there was one. */
  readonly message: string | null
  /** When the attempt began, ISO 8601 in UTC. */
  readonly at: string
}

/** A delivery: one event on its way to one subscription. Times are ISO 8601 in UTC. */
export interface Delivery {
  readonly eventId: string
  readonly type: string
  /** Null once the event is no longer kept, as is `subject`. */
  readonly occurredAt: string | null
  readonly subject: { readonly type: string; readonly id: string } | null
  readonly state: DeliveryState
  /** How many attempts were made on the latest schedule. */
  readonly attempts: number
  /** The earliest time. Null if no attempt is planned, or if the delivery waits for its first. */
  readonly nextAttemptAt: string | null
  /** Null if there was no attempt, or if it is no longer kept. */
  readonly lastAttempt: AttemptEnd | null
}

/** One attempt to deliver an event. */
export interface Attempt extends AttemptEnd {
  readonly id: string
  /** 1 for the first attempt on a schedule. */
  readonly number: number
  readonly durationMs: number
  /** The beginning of the target's response. Absent if the key lacks `people.read`, or if nothing is kept. */
  readonly response?: string | undefined
}

/**
 * What a resend did.
 * - `scheduled`: the delivery had ended or did not exist, and starts now with a new schedule.
 * - `hastened`: it was waiting for its next attempt, which is due now.
 * - `pending`: it was not attempted yet, and keeps its turn.
 */
export interface ResentDelivery {
  readonly outcome: 'scheduled' | 'hastened' | 'pending'
}

/** The deliveries to resend. Times are ISO 8601, with an offset. */
export interface ResendRange {
  /** Only events published at this time or later. */
  readonly since: string
  /** Only events published before this time; no upper bound by default. */
  readonly until?: string | undefined
  /** By default `pending`, `retrying`, `exhausted` and `disabled`. */
  readonly states?: readonly ('pending' | 'retrying' | ResendableEnd)[] | undefined
}

/** How many deliveries a resend of a range found. */
export interface ResentDeliveries {
  /** Deliveries that were scheduled anew or made due now. */
  readonly resent: number
  /** Deliveries that needed no change, because they are due anyway. */
  readonly waiting: number
}

/** The calls about the deliveries of a subscription that was created through the API. */
export interface Deliveries {
  /**
   * Returns a list of what was sent to a subscription and what came back, newest event first. The list sends no request
   * until you read it. Needs the scope `webhooks.read`.
   *
   * @example
   * for await (const { eventId } of client.subscriptions.deliveries(id, { state: 'exhausted' })) console.log(eventId)
   */
  deliveries(id: string, query?: DeliveriesQuery, options?: CallOptions): List<Delivery>
  /**
   * Returns a list of the attempts to deliver an event, newest first. Needs the scope `webhooks.read`, and
   * `people.read` too for the target's responses.
   */
  attempts(id: string, eventId: string, query?: ListQuery, options?: CallOptions): List<Attempt>
  /**
   * Sends an event to a subscription once more, even one that the subscription never received. The repeat has the same
   * `webhook-id`; if a response is lost, the retry of the call can send it twice. Rejects with `SUBSCRIPTION_DISABLED`,
   * or with `EVENT_EXPIRED` if the event is no longer kept. Needs the scope `webhooks.write`.
   */
  resend(id: string, eventId: string, options?: CallOptions): Promise<ResentDelivery>
  /**
   * Sends the deliveries of events published in a time range once more, oldest first. Sends as many requests as that
   * takes; starting over after an error is safe. Rejects with `SUBSCRIPTION_DISABLED`. Needs the scope
   * `webhooks.write`.
   */
  resendRange(id: string, range: ResendRange, options?: CallOptions): Promise<ResentDeliveries>
}

/** @param pathOf returns the path of a subscription. */
export function createDeliveries(call: Call, pathOf: (subscriptionId: string) => string): Deliveries {
  const ofEvent = (id: string, eventId: string): string => `${pathOf(id)}/deliveries/${encodeURIComponent(eventId)}`
  return {
    deliveries: (id, query = {}, options) => createList(call, `${pathOf(id)}/deliveries`, query, options),
    attempts: (id, eventId, query = {}, options) =>
      createList(call, `${ofEvent(id, eventId)}/attempts`, query, options),
    resend: (id, eventId, options) => call('POST', `${ofEvent(id, eventId)}/resend`, options),
    async resendRange(id, range, options) {
      let [resent, waiting] = [0, 0]
      let cursor: string | null | undefined
      while (cursor !== null) {
        const step: ResentDeliveries & { readonly nextCursor: string | null } = await call(
          'POST',
          `${pathOf(id)}/resend`,
          options,
          { ...range, cursor },
        )
        resent += step.resent
        waiting += step.waiting
        cursor = step.nextCursor
      }
      return { resent, waiting }
    },
  }
}
