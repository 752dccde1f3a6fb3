import * as z from 'zod'
import { TARGET_URL_MAX_LENGTH } from '../targets/target-url.ts'
import {
  EVENT_TYPES_COUNT,
  EXTERNAL_REF_LENGTH,
  readKinds,
  type SubscriptionRules,
  says,
} from './subscription-rules.ts'

/** The body of `POST /v1/webhooks/subscriptions` (contract, 4.4). */
export interface ApiSubscriptionInput {
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef?: string | undefined
}

export interface ParsedApiSubscriptionInput extends ApiSubscriptionInput {
  /** The target after URL normalisation; for identity only. */
  readonly normalizedUrl: string
}

/** The body as callers may write it. */
interface RawApiSubscriptionInput {
  targetUrl: string
  eventTypes: string[]
  integration: string
  externalRef?: string | null | undefined
}

/**
 * What the body of `POST /v1/webhooks/subscriptions` is checked with first: the kinds alone. The rules that `meta` tells
 * documents of are the parser's, since most need a catalogue or a policy.
 */
export const apiSubscriptionInput: z.ZodType<RawApiSubscriptionInput> = z.object(
  {
    targetUrl: z.string(says('targetUrl', 'a string')).meta({
      description: 'The public HTTPS address that events are sent to, kept as it is sent. Redirects are not followed.',
      format: 'uri',
      maxLength: TARGET_URL_MAX_LENGTH,
    }),
    eventTypes: z
      .array(z.string(says('eventTypes', 'an array of strings')), says('eventTypes', 'an array of strings'))
      .meta({
        description: 'Which events to send. A name given twice counts once.',
        minItems: EVENT_TYPES_COUNT.min,
        maxItems: EVENT_TYPES_COUNT.max,
      }),
    integration: z
      .string(says('integration', 'a string'))
      .meta({ description: 'Who manages the subscription; the dashboard marks it so.' }),
    externalRef: z.string(says('externalRef', 'a string')).nullish().meta({
      description: 'An id of your own for the subscription. `null` is the same as none.',
      minLength: EXTERNAL_REF_LENGTH.min,
      maxLength: EXTERNAL_REF_LENGTH.max,
    }),
  },
  { error: 'The body must be a JSON object.' },
)

/** Checks what a caller sends and throws one `VALIDATION_FAILED` that names every field that is wrong. */
export function createApiSubscriptionParser(rules: SubscriptionRules): (input: unknown) => ParsedApiSubscriptionInput {
  return (input) => {
    const read = readKinds(apiSubscriptionInput, input)
    const { targetUrl, integration } = read
    const fields = {
      targetUrl,
      eventTypes: [...new Set(read.eventTypes)],
      integration,
      externalRef: read.externalRef ?? undefined,
    }
    rules.check(fields)
    const target = rules.judgeTarget(targetUrl)
    return { ...fields, normalizedUrl: target.ok ? target.normalized : targetUrl }
  }
}
