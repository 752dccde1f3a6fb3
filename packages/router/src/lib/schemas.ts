import { type Catalog, type Envelope, type EventsPage, SCOPES } from '@callboard/core'
import { EVENT_TYPES_COUNT, PAGE_LIMIT } from '@callboard/core/engine'
import * as z from 'zod'
import { type ProblemBody, WIRE_CODES } from './problem.ts'

// Only the OpenAPI document and tests load these schemas; no request does.

const timestamp = z.iso.datetime({ precision: 3 })

/** The response of `GET /v1/me`. */
export interface KeyInformation {
  entity: { id: string; name: string }
  apiKeyId: string
  scopes: readonly string[]
}

export const account: z.ZodType<KeyInformation['entity']> = z
  .strictObject({
    id: z.string().describe('Identifier of the account.'),
    name: z.string().describe('Display name of the account.'),
  })
  .describe('An account of the platform.')

export const keyInformation: z.ZodType<KeyInformation> = z
  .strictObject({
    entity: account,
    apiKeyId: z.string().describe('Identifier of the key that was used.'),
    scopes: z.array(z.string().meta({ examples: [...SCOPES] })).describe('Scopes of the key.'),
  })
  .describe('An API key and its account.')

/** The response of `GET /v1/event-types`. */
export interface EventTypeList {
  apiVersion: string
  data: Catalog['listed']
}

const apiVersion = z.string().describe('Version of the event format.')

export const eventType: z.ZodType<EventTypeList['data'][number]> = z
  .strictObject({
    type: z.string().describe('Name of the event type.'),
    family: z.string().describe('Group of the type.'),
    descriptionKey: z.string().describe("Key that names the type's description."),
    sample: z.looseObject({}).describe('Example of the `data` of this type, including personal data.'),
    personalDataPaths: z
      .array(z.string())
      .describe(
        'Dot-separated paths of personal data inside `sample`. A step into a list applies to each of its items.',
      ),
  })
  .describe('An event type that you can subscribe to.')

export const eventTypeList: z.ZodType<EventTypeList> = z
  .strictObject({ apiVersion, data: z.array(eventType) })
  .describe('All event types that you can subscribe to.')

/** An event, in pages and deliveries. */
export const envelope: z.ZodType<Envelope> = z
  .strictObject({
    id: z.string().describe('Identifier of the event, the same on every page, in every delivery, and in `webhook-id`.'),
    type: z.string().describe('Name of the event type.'),
    version: apiVersion,
    occurred_at: timestamp.describe('When the event occurred.'),
    account,
    subject: z
      .strictObject({
        type: z.string().describe('Type of the subject, such as `order`.'),
        id: z.string().describe('Identifier of the subject.'),
        sequence: z
          .int()
          .describe('Number of this event among the events of its subject; later events have higher numbers.'),
      })
      .describe('The thing that the event is about.'),
    correlation_id: z
      .string()
      .nullable()
      .describe('Links events that have a common cause; null if the platform set none.'),
    livemode: z.boolean().describe('False for events of test mode.'),
    data: z.record(z.string(), z.unknown()).describe('Payload of the event; its shape depends on `type`.'),
  })
  .describe('An event, as returned in pages and sent in deliveries.')

/** The query parameters of `GET /v1/events`, only for the OpenAPI document. Core checks the values in requests. */
export const eventsParameters: Readonly<Record<'type' | 'limit' | 'cursor', z.ZodType>> = {
  type: z.string().min(1).describe('Only events of this type.'),
  limit: z
    .int()
    .min(PAGE_LIMIT.min)
    .max(PAGE_LIMIT.max)
    .default(PAGE_LIMIT.default)
    .describe('Maximum number of events to return.'),
  cursor: z
    .string()
    .min(1)
    .describe('The `nextCursor` of the previous page, to get the next one. Send the same `type` with it.'),
}

/** The response of `GET /v1/events`. */
export const eventList: z.ZodType<EventsPage> = z
  .strictObject({
    data: z
      .array(envelope)
      .max(PAGE_LIMIT.max)
      .describe('Events, newest first. The webhook of each `type` describes its `data`.'),
    nextCursor: z.string().nullable().describe('The `cursor` to send for the next page; null on the last page.'),
    hasMore: z.boolean().describe('Whether there is another page.'),
  })
  .describe('A page of events.')

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

/** The response of `PATCH /v1/webhooks/subscriptions/:id`. */
export type ChangedSubscriptionBody = Omit<SubscriptionBody, 'created' | 'secret'>

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

export const changedSubscriptionBody: z.ZodType<ChangedSubscriptionBody> = z
  .strictObject({ id: subscriptionId, ...subscriptionFields, createdAt: timestamp })
  .describe('A webhook subscription after a change.')

export const subscriptionBody: z.ZodType<SubscriptionBody> = z
  .strictObject({
    id: subscriptionId,
    created: z.boolean().describe('False when the same subscription already existed.'),
    ...subscriptionFields,
    secret: z.string().describe('Signing secret (Standard Webhooks). Store it, and verify every delivery with it.'),
    createdAt: timestamp,
  })
  .describe('A webhook subscription.')

const issue = z.strictObject({
  path: z.string().describe('Dot-separated path of the field; empty for the whole body.'),
  message: z.string().describe('Says what is wrong with the field and what to do.'),
})

export const problemBody: z.ZodType<ProblemBody> = z
  .strictObject({
    statusCode: z.int().describe('The HTTP status.'),
    message: z.string().describe('Says what is wrong and what to do, in at most 200 characters.'),
    timestamp,
    path: z.string().describe('The requested path, without its query.'),
    requestId: z.string().describe('Identifier of the request, as in `X-Request-Id`. Quote it to support.'),
    errorCode: z.enum(WIRE_CODES).describe('The kind of error, for programs.'),
    issues: z.array(issue).optional().describe('Only in a 400: one entry for each mistake.'),
  })
  .describe('The body of every error.')
