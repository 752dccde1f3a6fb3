import * as z from 'zod'
import type { Caller } from '../ports/admission-store.ts'
import { TARGET_URL_MAX_LENGTH } from '../targets/target-url.ts'
import {
  EVENT_TYPES_COUNT,
  EXTERNAL_REF_LENGTH,
  readKinds,
  type SubscriptionRules,
  says,
} from './subscription-rules.ts'

/** The body of `POST /v1/webhooks/subscriptions`. */
export interface ApiSubscriptionInput {
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef?: string | undefined
  /** The key's version by default. */
  readonly apiVersion?: string | undefined
}

/** The body as sent. Only the types of its fields have been checked. */
interface RawApiSubscriptionInput {
  targetUrl: string
  eventTypes: string[]
  integration: string
  externalRef?: string | null | undefined
  apiVersion?: string | null | undefined
}

export const targetUrlInput: z.ZodType<string> = z.string(says('targetUrl', 'a string')).meta({
  description: 'Public HTTPS address that receives the events, kept exactly as sent. Redirects are not followed.',
  format: 'uri',
  maxLength: TARGET_URL_MAX_LENGTH,
})
export const eventTypesInput: z.ZodType<string[]> = z
  .array(z.string(says('eventTypes', 'an array of strings')), says('eventTypes', 'an array of strings'))
  .meta({
    description: 'The event types to send. Repeated names count once.',
    minItems: EVENT_TYPES_COUNT.min,
    maxItems: EVENT_TYPES_COUNT.max,
  })

/**
 * Checks only the types of the fields of `POST /v1/webhooks/subscriptions`. The limits in `meta` are for the OpenAPI
 * document. `createApiSubscriptionParser` enforces them, together with the rules that need the catalogue or the address
 * policy.
 */
export const apiSubscriptionInput: z.ZodType<RawApiSubscriptionInput> = z.object(
  {
    targetUrl: targetUrlInput,
    eventTypes: eventTypesInput,
    integration: z
      .string(says('integration', 'a string'))
      .meta({ description: 'The integration that manages the subscription; shown in the dashboard.' }),
    externalRef: z.string(says('externalRef', 'a string')).nullish().meta({
      description: 'Your own id for the subscription. `null` is the same as leaving it out.',
      minLength: EXTERNAL_REF_LENGTH.min,
      maxLength: EXTERNAL_REF_LENGTH.max,
    }),
    apiVersion: z.string(says('apiVersion', 'a string')).nullish().meta({
      description:
        'Version of the event format to send. By default the version of the request: that of `Callboard-Version` or of the key.',
    }),
  },
  { error: 'The body must be a JSON object.' },
)

/**
 * Creates a parser for the body. The parser also gets the account and the format version of the request, and throws one
 * `VALIDATION_FAILED` that names every invalid field.
 */
export function createApiSubscriptionParser(
  rules: SubscriptionRules,
): (input: unknown, caller: Pick<Caller, 'account' | 'apiVersion'>) => ApiSubscriptionInput {
  return (input, { account, apiVersion: pinned }) => {
    const read = readKinds(apiSubscriptionInput, input)
    const { targetUrl, integration } = read
    const fields = {
      targetUrl,
      eventTypes: [...new Set(read.eventTypes)],
      integration,
      externalRef: read.externalRef ?? undefined,
      apiVersion: read.apiVersion ?? undefined,
    }
    rules.check({ ...fields, accountId: account.id, pinned })
    return fields
  }
}
