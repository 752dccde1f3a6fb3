import * as z from 'zod'
import { readKinds, says } from './subscription-rules.ts'

/** A subscription that the account's people create, in the dashboard or in the platform's own pages. */
export interface SubscriptionInput {
  /** The rules are those of the API, for `eventTypes` too. */
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  /** Whether events are sent with their personal data; false by default. */
  readonly personalData?: boolean | undefined
  /** What the account's people call it, 1–255 characters; null and none are the same. */
  readonly description?: string | null | undefined
  /** What receives the events, one of the platform's integrations; `other` by default. */
  readonly integration?: string | undefined
  /**
   * The same input under the same key creates one subscription, given again with its secret: for a form that is posted twice, or
   * an answer that was lost. 1–255 characters that nobody guesses; none by default.
   */
  readonly idempotencyKey?: string | undefined
}

/** What is left out stays. */
export interface SubscriptionChanges {
  readonly targetUrl?: string | undefined
  readonly eventTypes?: readonly string[] | undefined
  readonly personalData?: boolean | undefined
  /** Null removes it. */
  readonly description?: string | null | undefined
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
  idempotencyKey: z.string(says('idempotencyKey', 'a string')).optional(),
})
const changes = z.object({
  ...fields,
  targetUrl: fields.targetUrl.optional(),
  eventTypes: fields.eventTypes.optional(),
})

/** Fills in the defaults. Throws `VALIDATION_FAILED` for values of the wrong type; {@link SubscriptionRules} judges the rest. */
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

/** As {@link readSubscriptionInput}, without defaults. */
export function readSubscriptionChanges(input: SubscriptionChanges): SubscriptionChanges {
  const { eventTypes, ...read } = readKinds(changes, input)
  return { ...read, eventTypes: eventTypes && [...new Set(eventTypes)] }
}
