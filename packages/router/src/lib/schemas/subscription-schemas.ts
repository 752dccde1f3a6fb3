import { EVENT_TYPES_COUNT, EXTERNAL_REF_LENGTH, PAGE_LIMIT, TARGET_URL_MAX_LENGTH } from '@callboard/core/engine'
import * as z from 'zod'
import { apiVersion, type ListBody, timestamp } from './fields.ts'

/** The response of `POST /v1/webhooks/subscriptions`. */
export interface SubscriptionBody {
  id: string
  created: boolean
  targetUrl: string
  eventTypes: readonly string[]
  integration: string
  /** Absent if the caller sent none. */
  externalRef?: string | undefined
  apiVersion: string
  secret: string
  createdAt: string
}

/** A subscription, as every call but its creation returns it. */
export interface SubscriptionDetailsBody extends Omit<SubscriptionBody, 'created' | 'secret'> {
  state: 'active' | 'disabled'
  /** Null while the subscription is active. */
  disabled: { reason: string; since: string | null; message: string; remedy: string } | null
  personalData: boolean
  secretVersion: string
  health: {
    delivered: number
    failed: number
    failing: { since: string; attempts: number } | null
    pausedUntil: string | null
    nextAttemptAt: string | null
    retrying: number
    oldestPendingAt: string | null
    lastAttempt: {
      eventId: string
      at: string
      outcome: string
      status: number | null
      reason: string | null
      durationMs: number
    } | null
  }
}

const subscriptionId = z.string().describe('Identifier of the subscription; used to update or delete it.')
const subscriptionFields = {
  targetUrl: z.string().describe('HTTPS address that receives the events.'),
  eventTypes: z
    .array(z.string())
    .min(EVENT_TYPES_COUNT.min)
    .max(EVENT_TYPES_COUNT.max)
    .describe('The event types that are sent.'),
  integration: z.string().describe('The integration that manages the subscription.'),
  externalRef: z.string().optional().describe('Your own id for the subscription; absent if you sent none.'),
  apiVersion: apiVersion.describe('Version of the event format that is sent.'),
}

const count = z.int().min(0)
const sentence = z.string().max(200)

const health: z.ZodType<SubscriptionDetailsBody['health']> = z
  .strictObject({
    delivered: count.describe('Successful attempts in the last 24 hours.'),
    failed: count.describe('Failed attempts in the last 24 hours.'),
    failing: z
      .strictObject({
        since: timestamp.describe('When the first of these attempts failed.'),
        attempts: count.describe('How many attempts have failed.'),
      })
      .nullable()
      .describe('The failed attempts since the last success; null if there are none.'),
    pausedUntil: timestamp
      .nullable()
      .describe('When a target that keeps failing is tried again; null if deliveries are not paused.'),
    nextAttemptAt: timestamp
      .nullable()
      .describe('When deliveries are attempted next; null if none waits, or if one is being attempted.'),
    retrying: count.describe('Deliveries that failed and are waiting for another attempt; counted up to a limit.'),
    oldestPendingAt: timestamp
      .nullable()
      .describe('When the oldest event that waits for its first attempt was published; null if none waits.'),
    lastAttempt: z
      .strictObject({
        eventId: z.string().describe('Identifier of the event that was sent.'),
        at: timestamp.describe('When the attempt began.'),
        outcome: z.string().describe('How it ended: `delivered`, `failed`, `exhausted`, `gone` or `expired`.'),
        status: z.int().nullable().describe('The HTTP status of the response; null if there was none.'),
        reason: z.string().nullable().describe('A code for why there was no response; null if there was one.'),
        durationMs: count.describe('How long the attempt took, in milliseconds.'),
      })
      .nullable()
      .describe('The last attempt; null if there was none, or if it is no longer kept.'),
  })
  .describe('How the deliveries of a subscription are doing.')

const subscriptionDetailsBody: z.ZodType<SubscriptionDetailsBody> = z
  .strictObject({
    id: subscriptionId,
    ...subscriptionFields,
    targetUrl: subscriptionFields.targetUrl.describe(
      'HTTPS address that receives the events. Without the scope `webhooks.write`, only its origin.',
    ),
    state: z.enum(['active', 'disabled']).describe('Whether events are sent.'),
    disabled: z
      .strictObject({
        reason: z.string().describe('A code: `gone`, `failing`, `key`, `account` or `platform`.'),
        since: timestamp.nullable().describe('When the subscription was disabled or last changed while disabled.'),
        message: sentence.describe('Says why the subscription is disabled.'),
        remedy: sentence.describe('Says what to do about it.'),
      })
      .nullable()
      .describe('Why the subscription is disabled; null while it is active.'),
    personalData: z
      .boolean()
      .describe('Whether deliveries contain personal data, which the scopes of the confirming key decide.'),
    secretVersion: z
      .string()
      .describe('Names the current secret without revealing it. It changes when the secret is rotated.'),
    health,
    createdAt: timestamp,
  })
  .describe('A webhook subscription without its secret, and how its deliveries are doing.')

export const subscriptionBody: z.ZodType<SubscriptionBody> = z
  .strictObject({
    id: subscriptionId,
    created: z.boolean().describe('False when the same subscription already existed.'),
    ...subscriptionFields,
    secret: z.string().describe('Signing secret (Standard Webhooks). Store it, and verify every delivery with it.'),
    createdAt: timestamp,
  })
  .describe('A webhook subscription.')

/** The query parameters of `GET /v1/webhooks/subscriptions`, only for the document. Core checks the values. */
export const subscriptionsParameters: Readonly<Record<string, z.ZodType>> = {
  integration: z.string().describe('Only subscriptions of this integration.'),
  externalRef: z.string().min(1).max(EXTERNAL_REF_LENGTH.max).describe('Only subscriptions with this `externalRef`.'),
  targetUrl: z
    .string()
    .min(1)
    .max(TARGET_URL_MAX_LENGTH)
    .describe('Only subscriptions with exactly this target, as it was sent when they were created.'),
  state: z.enum(['active', 'disabled']).describe('Only subscriptions in this state.'),
  limit: z
    .int()
    .min(PAGE_LIMIT.min)
    .max(PAGE_LIMIT.max)
    .default(PAGE_LIMIT.default)
    .describe('Maximum number of subscriptions to return.'),
  cursor: z
    .string()
    .min(1)
    .describe('The `nextCursor` of the previous page, to get the next one. Send the same conditions with it.'),
}

/** The response of `GET /v1/webhooks/subscriptions`. */
export type SubscriptionListBody = ListBody<SubscriptionDetailsBody>

const subscriptionListBody: z.ZodType<SubscriptionListBody> = z
  .strictObject({
    data: z.array(subscriptionDetailsBody).max(PAGE_LIMIT.max).describe('Subscriptions, newest first.'),
    nextCursor: z.string().nullable().describe('The `cursor` to send for the next page; null on the last page.'),
    hasMore: z.boolean().describe('Whether there is another page.'),
  })
  .describe('A page of subscriptions.')

/** The response of `POST /v1/webhooks/subscriptions/:id/rotate-secret`. */
export interface RotatedSecretBody {
  id: string
  secret: string
  secretVersion: string
}

const rotatedSecretBody: z.ZodType<RotatedSecretBody> = z
  .strictObject({
    id: subscriptionId,
    secret: z.string().describe('The new signing secret (Standard Webhooks).'),
    secretVersion: z.string().describe('Names the new secret without revealing it.'),
  })
  .describe('The secret that signs deliveries from now on.')

/** The response of `POST /v1/webhooks/subscriptions/:id/test`. */
export interface SentTestBody {
  eventId: string
  type: string
  outcome: 'delivered' | 'failed'
  status: number | null
  reason: string | null
  message: string | null
  durationMs: number
  response?: string | undefined
}

const sentTestBody: z.ZodType<SentTestBody> = z
  .strictObject({
    eventId: z.string().describe('Identifier of the test event, as in `webhook-id`; it begins with `test_`.'),
    type: z.string().describe('The type of the test event.'),
    outcome: z.enum(['delivered', 'failed']).describe('`delivered` if the target answered with a 2xx in time.'),
    status: z.int().nullable().describe('The HTTP status of the response; null if there was none.'),
    reason: z.string().nullable().describe('A code for why there was no response, such as `timeout`; otherwise null.'),
    message: sentence.nullable().describe('Why there was no response, in words; null if there was one.'),
    durationMs: count.describe('How long the request took, in milliseconds.'),
    response: z
      .string()
      .optional()
      .describe('The beginning of the response body. Absent if there was no response or the key lacks `people.read`.'),
  })
  .describe('What became of a test event.')

/** The document's schemas of this section. */
export const subscriptionSchemas: Readonly<Record<string, z.ZodType>> = {
  WebhookSubscription: subscriptionBody,
  WebhookSubscriptionList: subscriptionListBody,
  WebhookSubscriptionDetails: subscriptionDetailsBody,
  RotatedSecret: rotatedSecretBody,
  SentTest: sentTestBody,
}
