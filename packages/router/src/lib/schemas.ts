import { type Catalog, type Envelope, type EventsPage, SCOPES } from '@callboard/core'
import { PAGE_LIMIT } from '@callboard/core/engine'
import * as z from 'zod'
import { WIRE_CODES } from './problem.ts'

// Loaded with the OpenAPI document, and by tests: no request is answered by way of these.

const timestamp = z.iso.datetime({ precision: 3 })

/** The response of `GET /v1/me` (contract, 2.2). */
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
  .describe('A customer of the platform.')

export const keyInformation: z.ZodType<KeyInformation> = z
  .strictObject({
    entity: account,
    apiKeyId: z.string().describe('Identifier of the key that was used.'),
    scopes: z.array(z.string().meta({ examples: [...SCOPES] })).describe('What the key may do.'),
  })
  .describe('An API key and whose it is.')

/** The response of `GET /v1/event-types` (contract, 4.2). */
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
    sample: z.looseObject({}).describe('Example of `data` of an event of this type, personal data included.'),
    personalDataPaths: z
      .array(z.string())
      .describe(
        'Dot-separated paths inside `sample` that hold personal data; a step into a list means each of its items.',
      ),
  })
  .describe('A kind of event that can be subscribed to.')

export const eventTypeList: z.ZodType<EventTypeList> = z
  .strictObject({ apiVersion, data: z.array(eventType) })
  .describe('Every event type that can be subscribed to.')

/** An event as pages and deliveries carry it (contract, 2.4). */
export const envelope: z.ZodType<Envelope> = z
  .strictObject({
    id: z
      .string()
      .describe('Identifier of the event: the same on a page, in every delivery of it, and in `webhook-id`.'),
    type: z.string().describe('Name of the event type.'),
    version: apiVersion,
    occurred_at: timestamp.describe('When it happened.'),
    account,
    subject: z
      .strictObject({
        type: z.string().describe('Kind of thing, such as `order`.'),
        id: z.string().describe('Identifier of the thing.'),
        sequence: z.int().describe('Counts the events of this subject: what has a higher number happened later.'),
      })
      .describe('What the event is about.'),
    correlation_id: z.string().nullable().describe('Ties together events of one cause; null when there is none.'),
    livemode: z.boolean().describe('False for events of test mode.'),
    data: z.record(z.string(), z.unknown()).describe('What happened; its shape goes by `type`.'),
  })
  .describe('Something that happened, as pages and deliveries carry it.')

/** The parameters of `GET /v1/events` (contract, 4.3), as they are described; core judges them. */
export const eventsParameters: Readonly<Record<'type' | 'limit' | 'cursor', z.ZodType>> = {
  type: z.string().min(1).describe('Only events of this type.'),
  limit: z
    .int()
    .min(PAGE_LIMIT.min)
    .max(PAGE_LIMIT.max)
    .default(PAGE_LIMIT.default)
    .describe('How many events to give.'),
  cursor: z
    .string()
    .min(1)
    .describe('The `nextCursor` of the page before: gives the next page. Send it with the same `type`.'),
}

/** The response of `GET /v1/events` (contract, 4.3). */
export const eventList: z.ZodType<EventsPage> = z
  .strictObject({
    data: z
      .array(envelope)
      .describe('Newest first. What `data` of each looks like is told by the webhook of its `type`.'),
    nextCursor: z.string().nullable().describe('Send it as `cursor` to get the next page; null on the last one.'),
    hasMore: z.boolean().describe('Whether there is another page.'),
  })
  .describe('A page of events.')

/** The response of `POST /v1/webhooks/subscriptions` (contract, 2.6). */
export interface SubscriptionBody {
  id: string
  created: boolean
  targetUrl: string
  eventTypes: readonly string[]
  integration: string
  /** Absent when none was sent. */
  externalRef?: string | undefined
  apiVersion: string
  secret: string
  createdAt: string
}

export const subscriptionBody: z.ZodType<SubscriptionBody> = z
  .strictObject({
    id: z.string().describe('Identifier of the subscription; used to delete it.'),
    created: z.boolean().describe('False when the same subscription was there already.'),
    targetUrl: z.string().describe('The HTTPS address that events are sent to.'),
    eventTypes: z.array(z.string()).describe('Which events are sent.'),
    integration: z.string().describe('Who manages the subscription.'),
    externalRef: z.string().optional().describe('Your own id for it; absent when none was sent.'),
    apiVersion: apiVersion.describe('Version of the event format that is sent.'),
    secret: z.string().describe('Signing secret (Standard Webhooks). Keep it, and verify each delivery with it.'),
    createdAt: timestamp,
  })
  .describe('A webhook subscription.')

/** The body of every error (contract, section 7; decisions, “Errors”). */
export interface ProblemBody {
  statusCode: number
  message: string
  timestamp: string
  path: string
  requestId: string
  errorCode: string
  /** On 400: one entry a field; `path` is dot-separated, `''` for the whole body. */
  issues?: ProblemIssue[] | undefined
}

export interface ProblemIssue {
  readonly path: string
  readonly message: string
}

const issue = z.strictObject({
  path: z.string().describe('Dot-separated path of the field; empty for the whole body.'),
  message: z.string().describe('What is wrong with it, and what to do.'),
})

export const problemBody: z.ZodType<ProblemBody> = z
  .strictObject({
    statusCode: z.int().describe('The HTTP status.'),
    message: z.string().describe('What is wrong and what to do, in at most 200 characters.'),
    timestamp,
    path: z.string().describe('The path that was requested, without its query.'),
    requestId: z.string().describe('Quote it to support; the same as the header `X-Request-Id`.'),
    errorCode: z.enum(WIRE_CODES).describe('What went wrong, for programs.'),
    issues: z.array(issue).optional().describe('On 400: one entry for each thing that is wrong.'),
  })
  .describe('What every error says.')
