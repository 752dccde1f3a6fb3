import type { Catalog, Envelope, EventsPage } from '@callboard/core'
import { FEED_WAIT_SECONDS, PAGE_LIMIT } from '@callboard/core/engine'
import * as z from 'zod'
import { apiVersion, timestamp } from './fields.ts'
import { account } from './key-schemas.ts'

/** The response of `GET /v1/event-types`. */
export interface EventTypeList {
  apiVersion: string
  data: Catalog['listed']
}

const eventType: z.ZodType<EventTypeList['data'][number]> = z
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
const envelope: z.ZodType<Envelope> = z
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

/** The query parameters of `GET /v1/events/feed`, only for the OpenAPI document. */
export const feedParameters: Readonly<Record<'after' | 'since' | 'types' | 'limit' | 'wait', z.ZodType>> = {
  after: z
    .string()
    .min(1)
    .describe('The `nextCursor` of the previous page. Send the same `types` with it. Without it, the feed starts now.'),
  since: z.iso
    .datetime({ offset: true })
    .describe(
      'Starts at or before the first event that was published at this time or later. Not together with `after`.',
    ),
  types: z.string().min(1).describe('Only events of these types, separated by commas.'),
  limit: eventsParameters.limit,
  wait: z
    .int()
    .min(0)
    .max(FEED_WAIT_SECONDS)
    .default(0)
    .describe('How many seconds to wait for an event if there is none yet.'),
}

/** The response of `GET /v1/events/feed`. */
const eventFeed: z.ZodType<EventFeedBody> = z
  .strictObject({
    data: z.array(envelope).max(PAGE_LIMIT.max).describe('Events, oldest first. Their order never changes.'),
    nextCursor: z.string().describe('The `after` to send for the events that follow. Store it once you have `data`.'),
    hasMore: z.boolean().describe('Whether more events are there already.'),
    truncated: z
      .boolean()
      .describe(
        'Whether events before this page may be missing, and events in it may be repeated. To be complete, read the state of what you follow anew.',
      ),
  })
  .describe('A page of the feed.')

interface EventFeedBody extends EventsPage {
  readonly nextCursor: string
  readonly truncated: boolean
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

/** The document's schemas of this section. */
export const eventSchemas: Readonly<Record<string, z.ZodType>> = {
  EventTypeList: eventTypeList,
  EventType: eventType,
  EventList: eventList,
  EventFeed: eventFeed,
  Event: envelope,
}
