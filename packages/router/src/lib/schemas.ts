import type { Catalog } from '@callboard/core'
import * as z from 'zod'

/** The response of `GET /v1/me` (contract, 2.2). */
export interface KeyInformation {
  entity: { id: string; name: string }
  apiKeyId: string
  scopes: readonly string[]
}

export const keyInformation: z.ZodType<KeyInformation> = z.strictObject({
  entity: z.strictObject({ id: z.string(), name: z.string() }),
  apiKeyId: z.string(),
  scopes: z.array(z.string()),
})

/** The response of `GET /v1/event-types` (contract, 4.2). */
export interface EventTypeList {
  apiVersion: string
  data: Catalog['listed']
}

export const eventTypeList: z.ZodType<EventTypeList> = z.strictObject({
  apiVersion: z.string(),
  data: z.array(
    z.strictObject({
      type: z.string(),
      family: z.string(),
      descriptionKey: z.string(),
      sample: z.looseObject({}),
      personalDataPaths: z.array(z.string()),
    }),
  ),
})

/** An event as pages and deliveries carry it (contract, 2.4). */
export interface Envelope {
  id: string
  type: string
  version: string
  occurred_at: string
  account: { id: string; name: string }
  subject: { type: string; id: string; sequence: number }
  correlation_id: string | null
  livemode: boolean
  data: Record<string, unknown>
}

const envelope: z.ZodType<Envelope> = z.strictObject({
  id: z.string(),
  type: z.string(),
  version: z.string(),
  occurred_at: z.iso.datetime({ precision: 3 }),
  account: z.strictObject({ id: z.string(), name: z.string() }),
  subject: z.strictObject({ type: z.string(), id: z.string(), sequence: z.int() }),
  correlation_id: z.string().nullable(),
  livemode: z.boolean(),
  data: z.record(z.string(), z.unknown()),
})

/** The response of `GET /v1/events` (contract, 4.3). */
export interface EventList {
  data: Envelope[]
  nextCursor: string | null
  hasMore: boolean
}

export const eventList: z.ZodType<EventList> = z.strictObject({
  data: z.array(envelope),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
})

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

export const subscriptionBody: z.ZodType<SubscriptionBody> = z.strictObject({
  id: z.string(),
  created: z.boolean(),
  targetUrl: z.string(),
  eventTypes: z.array(z.string()),
  integration: z.string(),
  externalRef: z.string().optional(),
  apiVersion: z.string(),
  secret: z.string(),
  createdAt: z.iso.datetime({ precision: 3 }),
})

/** The body of every error (contract, section 7; decisions, “Errors”). */
export interface ProblemBody {
  statusCode: number
  message: string
  timestamp: string
  path: string
  requestId: string
  errorCode: string
  /** On 400: one entry a field; `path` is dot-separated, `''` for the whole body. */
  issues?: { path: string; message: string }[] | undefined
}

export const problemBody: z.ZodType<ProblemBody> = z.strictObject({
  statusCode: z.int(),
  message: z.string(),
  timestamp: z.iso.datetime({ precision: 3 }),
  path: z.string(),
  requestId: z.string(),
  errorCode: z.string(),
  issues: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
})
