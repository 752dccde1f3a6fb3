import * as z from 'zod'
import { DEFAULT_OVERLAP_MS } from '../secrets/overlap.ts'
import { eventTypesInput, targetUrlInput } from './api-subscription-input.ts'
import { EXTERNAL_REF_LENGTH, readKinds, says } from './subscription-rules.ts'

/** The body of `PATCH /v1/webhooks/subscriptions/:id`. Omitted fields stay as they are. */
export interface ApiSubscriptionChanges {
  readonly targetUrl?: string | undefined
  readonly eventTypes?: readonly string[] | undefined
  /** Null removes it. */
  readonly externalRef?: string | null | undefined
  readonly apiVersion?: string | undefined
  readonly state?: 'active' | 'disabled' | undefined
}

const changes = z.object(
  {
    targetUrl: targetUrlInput.optional(),
    eventTypes: eventTypesInput.optional(),
    externalRef: z.string(says('externalRef', 'a string or null')).nullish().meta({
      description: 'Your own id for the subscription; `null` removes it.',
      minLength: EXTERNAL_REF_LENGTH.min,
      maxLength: EXTERNAL_REF_LENGTH.max,
    }),
    apiVersion: z
      .string(says('apiVersion', 'a string'))
      .optional()
      .meta({ description: 'Version of the event format to send from now on.' }),
    state: z.enum(['active', 'disabled'], says('state', '"active" or "disabled"')).optional().meta({
      description:
        '`disabled` stops all deliveries, and ends those that are pending. `active` starts again with the next event.',
    }),
  },
  { error: 'The body must be a JSON object.' },
)
const FIELDS = Object.keys(changes.shape)

/**
 * The schema of the body of `PATCH`, which checks only the types of the fields. `reviseSubscription` enforces the rest.
 */
export const apiSubscriptionChanges: z.ZodType<ApiSubscriptionChanges> = changes.refine(
  (body) => Object.values(body).some((value) => value !== undefined),
  `Send at least one field to change: ${FIELDS.join(', ')}.`,
)

export function readApiSubscriptionChanges(input: unknown): ApiSubscriptionChanges {
  const { eventTypes, ...read } = readKinds(apiSubscriptionChanges, input)
  return { ...read, eventTypes: eventTypes && [...new Set(eventTypes)] }
}

/** The body of `POST /v1/webhooks/subscriptions/:id/rotate-secret`. */
export interface SecretRotation {
  readonly secretVersion: string
  readonly overlapSeconds?: number | undefined
}

/** The longest time that an old secret keeps signing, if a key rotates it: seven days, in seconds. */
const MAX_OVERLAP_SECONDS = 604_800

const overlapKind = says('overlapSeconds', `a whole number from 0 to ${MAX_OVERLAP_SECONDS}`)

export const secretRotation: z.ZodType<SecretRotation> = z.object(
  {
    secretVersion: z
      .string(says('secretVersion', 'a string'))
      .meta({ description: 'The `secretVersion` of the secret to replace.' }),
    overlapSeconds: z
      .int(overlapKind)
      .min(0, overlapKind)
      .max(MAX_OVERLAP_SECONDS, overlapKind)
      .optional()
      .meta({
        description: 'How long the old secret keeps signing alongside the new one, in seconds.',
        default: DEFAULT_OVERLAP_MS / 1000,
      }),
  },
  { error: 'The body must be a JSON object.' },
)

/** The body of `POST /v1/webhooks/subscriptions/:id/test`. */
export interface TestRequest {
  readonly type: string
}

export const testRequest: z.ZodType<TestRequest> = z.object(
  {
    type: z.string(says('type', 'a string')).meta({ description: "One of the subscription's event types." }),
  },
  { error: 'The body must be a JSON object.' },
)
