import type { DeliveryState } from '@callboard/core'
import { PAGE_LIMIT } from '@callboard/core/engine'
import { ATTEMPT_OUTCOMES, type AttemptOutcome, DELIVERY_STATES } from '@callboard/core/store'
import * as z from 'zod'
import { type ListBody, timestamp } from './fields.ts'

/** What came back from an attempt. */
interface AttemptEnd {
  outcome: AttemptOutcome
  status: number | null
  reason: string | null
  message: string | null
  at: string
}

/** A delivery, in a page. */
export interface DeliveryBody {
  eventId: string
  type: string
  occurredAt: string | null
  subject: { type: string; id: string } | null
  state: DeliveryState
  attempts: number
  nextAttemptAt: string | null
  lastAttempt: AttemptEnd | null
}

/** The response of `GET /v1/webhooks/subscriptions/:id/deliveries`. */
export type DeliveryListBody = ListBody<DeliveryBody>

/** An attempt, in a page. */
export interface AttemptBody extends AttemptEnd {
  id: string
  number: number
  durationMs: number
  /** Absent if the key lacks `people.read`, or nothing is stored. */
  response?: string | undefined
}

/** The response of `GET /v1/webhooks/subscriptions/:id/deliveries/:eventId/attempts`. */
export type AttemptListBody = ListBody<AttemptBody>

/** The response of `POST /v1/webhooks/subscriptions/:id/deliveries/:eventId/resend`. */
export interface ResentDeliveryBody {
  outcome: 'scheduled' | 'hastened' | 'pending'
}

/** The response of `POST /v1/webhooks/subscriptions/:id/resend`. */
export interface ResentDeliveriesBody {
  resent: number
  waiting: number
  nextCursor: string | null
}

const attemptEnd = {
  outcome: z
    .enum(ATTEMPT_OUTCOMES)
    .describe(
      'How it ended: `delivered`; `failed` (it is attempted again); `exhausted` (it was the last attempt of the schedule); `gone` (the target answered 410, which disables the subscription); `expired` (the event was removed before it was sent).',
    ),
  status: z.int().nullable().describe("The HTTP status of the target's response; null if there was none."),
  reason: z.string().nullable().describe('A code for why there was no response, such as `timeout`; otherwise null.'),
  message: z.string().nullable().describe('Why there was no response, in words; otherwise null.'),
  at: timestamp.describe('When the attempt began.'),
}

const nextCursor = z.string().nullable().describe('The `cursor` to send for the next page; null on the last page.')
const hasMore = z.boolean().describe('Whether there is another page.')

const delivery: z.ZodType<DeliveryBody> = z
  .strictObject({
    eventId: z.string().describe('Identifier of the event, as in `webhook-id`.'),
    type: z.string().describe('Name of the event type.'),
    occurredAt: timestamp.nullable().describe('When the event occurred; null once the event is no longer kept.'),
    subject: z
      .strictObject({
        type: z.string().describe('Type of the subject, such as `order`.'),
        id: z.string().describe('Identifier of the subject.'),
      })
      .nullable()
      .describe('The thing that the event is about; null once the event is no longer kept.'),
    state: z
      .enum(DELIVERY_STATES)
      .describe(
        '`pending`: not attempted yet. `retrying`: failed, and will be attempted again. `delivered`: succeeded. `exhausted`: every attempt failed. `disabled`: ended because the subscription was disabled. `skipped`: ended on purpose. `expired`: the event was no longer kept before it could be delivered.',
      ),
    attempts: z
      .int()
      .describe('How many attempts were made on the latest schedule. Resending an ended delivery starts a new one.'),
    nextAttemptAt: timestamp
      .nullable()
      .describe(
        'The earliest time of the next attempt; null if none is planned, or if the delivery waits for its first. While the subscription is paused, this is the end of the pause: one delivery is attempted then, and the others wait until an attempt succeeds.',
      ),
    lastAttempt: z
      .strictObject(attemptEnd)
      .nullable()
      .describe('The last attempt; null if there was none, or if it is no longer kept.'),
  })
  .describe('A delivery: one event on its way to one subscription.')

const attempt: z.ZodType<AttemptBody> = z
  .strictObject({
    id: z.string().describe('Identifier of the attempt.'),
    number: z.int().describe('Number of the attempt on its schedule: 1 for the first.'),
    ...attemptEnd,
    durationMs: z.int().describe('How long the attempt took, in milliseconds.'),
    response: z
      .string()
      .optional()
      .describe(
        "The beginning of the target's response. Only for a key with the scope `people.read`, because a target can echo what it was sent; absent if nothing is kept.",
      ),
  })
  .describe('An attempt to deliver an event.')

const deliveryList: z.ZodType<DeliveryListBody> = z
  .strictObject({ data: z.array(delivery).describe('Deliveries, newest event first.'), nextCursor, hasMore })
  .describe('A page of deliveries. A page that is not the last can be shorter than `limit`.')

const attemptList: z.ZodType<AttemptListBody> = z
  .strictObject({ data: z.array(attempt).describe('Attempts, newest first.'), nextCursor, hasMore })
  .describe('A page of attempts.')

const resentDelivery: z.ZodType<ResentDeliveryBody> = z
  .strictObject({
    outcome: z
      .enum(['scheduled', 'hastened', 'pending'])
      .describe(
        '`scheduled`: the delivery had ended or did not exist, and starts now with a new schedule. `hastened`: it was waiting for its next attempt, which is due now. `pending`: it was not attempted yet, and keeps its turn.',
      ),
  })
  .describe('What a resend did.')

const resentDeliveries: z.ZodType<ResentDeliveriesBody> = z
  .strictObject({
    resent: z.int().describe('How many deliveries this request scheduled anew or made due now.'),
    waiting: z.int().describe('How many deliveries of the range needed no change, because they are due anyway.'),
    nextCursor: z
      .string()
      .nullable()
      .describe('Not null if the range has more deliveries: repeat the request with this `cursor`.'),
  })
  .describe('What one request of a resend did.')

const limit = z
  .int()
  .min(PAGE_LIMIT.min)
  .max(PAGE_LIMIT.max)
  .default(PAGE_LIMIT.default)
  .describe('Maximum number of entries to return.')
const cursor = z
  .string()
  .min(1)
  .describe('The `nextCursor` of the previous page, to get the next one. Send the same filters with it.')

/** The query parameters of lists, only for the OpenAPI document. Core checks the values in requests. */
export const attemptsParameters: Readonly<Record<string, z.ZodType>> = { limit, cursor }
export const deliveriesParameters: Readonly<Record<string, z.ZodType>> = {
  state: z.enum(DELIVERY_STATES).describe('Only deliveries in this state.'),
  eventId: z.string().min(1).describe('Only the delivery of this event.'),
  limit,
  cursor,
}

/** The document's schemas of this section. */
export const deliverySchemas: Readonly<Record<string, z.ZodType>> = {
  WebhookDeliveryList: deliveryList,
  WebhookDelivery: delivery,
  WebhookDeliveryAttemptList: attemptList,
  WebhookDeliveryAttempt: attempt,
  ResentWebhookDelivery: resentDelivery,
  ResentWebhookDeliveries: resentDeliveries,
}
