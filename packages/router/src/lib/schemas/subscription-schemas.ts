import { EVENT_TYPES_COUNT } from '@callboard/core/engine'
import * as z from 'zod'
import { apiVersion, timestamp } from './fields.ts'

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

/** The document's schemas of this section. */
export const subscriptionSchemas: Readonly<Record<string, z.ZodType>> = {
  WebhookSubscription: subscriptionBody,
  ChangedWebhookSubscription: changedSubscriptionBody,
}
