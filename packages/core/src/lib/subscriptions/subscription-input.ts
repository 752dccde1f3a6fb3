import * as z from 'zod'
import type { SubscriptionChanges } from '../ports/subscription-store.ts'
import { readKinds, says } from './subscription-rules.ts'

/** A subscription that the account's people create, in the dashboard or on the platform's own pages. */
export interface SubscriptionInput {
  /** `targetUrl` and `eventTypes` must satisfy the same rules as in the API. */
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  /** Whether to send personal data; false by default. */
  readonly personalData?: boolean | undefined
  /** A label for the account's people, 1–255 characters; null is the same as omitting it. */
  readonly description?: string | null | undefined
  /** The integration that receives the events; `other` by default. */
  readonly integration?: string | undefined
  /** The format version to pin the subscription to; the current version by default. */
  readonly apiVersion?: string | undefined
  /**
   * Makes it safe to repeat a call, for example when a response was lost. Calls with the same input and the same key
   * create only one subscription, and each call returns it with its secret. The key must be 1–255 characters long and
   * impossible to guess. No key by default.
   */
  readonly idempotencyKey?: string | undefined
}

const fields = {
  targetUrl: z.string(says('targetUrl', 'a string')),
  eventTypes: z.array(z.string(says('eventTypes', 'an array of strings')), says('eventTypes', 'an array of strings')),
  personalData: z.boolean(says('personalData', 'true or false')).optional(),
  description: z.string(says('description', 'a string')).nullish(),
}
const newSubscription = z.object({
  ...fields,
  integration: z.string(says('integration', 'a string')).optional(),
  apiVersion: z.string(says('apiVersion', 'a string')).optional(),
  idempotencyKey: z.string(says('idempotencyKey', 'a string')).optional(),
})
const changes = z.object({
  ...fields,
  targetUrl: fields.targetUrl.optional(),
  eventTypes: fields.eventTypes.optional(),
  apiVersion: z.string(says('apiVersion', 'a string')).optional(),
})

/**
 * Fills in the defaults. Throws `VALIDATION_FAILED` for values of the wrong type; `SubscriptionRules` checks everything
 * else.
 */
export function readSubscriptionInput(input: SubscriptionInput): SubscriptionInput & {
  readonly personalData: boolean
  readonly description: string | undefined
  readonly integration: string
} {
  const {
    eventTypes,
    description,
    integration = 'other',
    personalData = false,
    ...read
  } = readKinds(newSubscription, input)
  return {
    ...read,
    eventTypes: [...new Set(eventTypes)],
    description: description ?? undefined,
    integration,
    personalData,
  }
}

/** Like {@link readSubscriptionInput}, but without defaults. */
export function readSubscriptionChanges(input: SubscriptionChanges): SubscriptionChanges {
  const { eventTypes, ...read } = readKinds(changes, input)
  return { ...read, eventTypes: eventTypes && [...new Set(eventTypes)] }
}
