import * as z from 'zod'
import type { AddressPolicy } from './address-policy.ts'
import type { Catalog } from './catalog.ts'
import { CallboardError, type Issue } from './errors.ts'
import type { Integration } from './integrations.ts'
import { parseTargetUrl, TARGET_URL_MAX_LENGTH } from './target-url.ts'
import { quoted, textProblem } from './text-rules.ts'

/** Entries of `eventTypes`, after repeats are folded (contract, section 8). */
export const EVENT_TYPES_COUNT = { min: 1, max: 50 } as const
/** Code points of `externalRef` (contract, section 8). */
export const EXTERNAL_REF_LENGTH = { min: 1, max: 255 } as const

/** The body of `POST /v1/webhooks/subscriptions` (contract, 4.4). */
export interface SubscriptionInput {
  readonly targetUrl: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef?: string | undefined
}

export interface ParsedSubscriptionInput extends SubscriptionInput {
  /** The target after URL normalisation; for identity only. */
  readonly normalizedUrl: string
}

/** What is said of a field of the wrong kind, or of one that is not there. */
function says(field: string, kind: string): { error: (issue: { readonly input?: unknown }) => string } {
  return {
    error: ({ input }) => (input === undefined ? `${field} is required: ${kind}.` : `${field} must be ${kind}.`),
  }
}

/** The body as callers may write it. */
interface RawSubscriptionInput {
  targetUrl: string
  eventTypes: string[]
  integration: string
  externalRef?: string | null | undefined
}

/**
 * What the body of `POST /v1/webhooks/subscriptions` is checked with first: the kinds alone. The rules that `meta` tells
 * documents of are the parser's, since most need a catalogue or a policy.
 */
export const subscriptionInput: z.ZodType<RawSubscriptionInput> = z.object(
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

export interface SubscriptionParserOptions {
  readonly catalog: Catalog
  readonly integrations: readonly Integration[]
  readonly addressPolicy: AddressPolicy
}

/** Checks what a caller sends and throws one `VALIDATION_FAILED` that names every field that is wrong. */
export function createSubscriptionParser({
  catalog,
  integrations,
  addressPolicy,
}: SubscriptionParserOptions): (input: unknown) => ParsedSubscriptionInput {
  const names = integrations.map(({ name }) => name)
  return (input) => {
    const parsed = subscriptionInput.safeParse(input)
    if (!parsed.success)
      throw failed(parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message })))
    const { targetUrl, integration } = parsed.data
    const externalRef = parsed.data.externalRef ?? undefined
    const eventTypes = [...new Set(parsed.data.eventTypes)]
    const issues: Issue[] = []
    const target = parseTargetUrl(targetUrl, addressPolicy)
    if (!target.ok) issues.push({ path: 'targetUrl', message: target.message })
    const { min, max } = EVENT_TYPES_COUNT
    const unknown = eventTypes.filter((name) => catalog.get(name) === undefined)
    if (eventTypes.length < min || eventTypes.length > max)
      issues.push({ path: 'eventTypes', message: `eventTypes must name ${min} to ${max} event types.` })
    else issues.push(...unknown.map((name) => ({ path: 'eventTypes', message: unknownTypes([name]) })))
    if (!names.includes(integration))
      issues.push({ path: 'integration', message: `integration must be one of ${names.join(', ')}.` })
    const refProblem = externalRef === undefined ? undefined : textProblem(externalRef, EXTERNAL_REF_LENGTH)
    if (refProblem !== undefined) issues.push({ path: 'externalRef', message: `externalRef ${refProblem}` })
    if (issues.length > 0 || !target.ok)
      throw failed(issues, issues[0]?.path === 'eventTypes' && unknown.length > 1 ? unknownTypes(unknown) : undefined)
    return { targetUrl, normalizedUrl: target.normalized, eventTypes, integration, externalRef }
  }
}

function failed(issues: readonly Issue[], message = issues[0]?.message ?? 'The body is not valid.'): CallboardError {
  return new CallboardError('VALIDATION_FAILED', message, { issues })
}

/** Lists the unknown names, as many as a message that automation tools show has room for. */
function unknownTypes(names: readonly string[]): string {
  let list = ''
  for (const [index, name] of names.entries()) {
    const next = `${index > 0 ? ', ' : ''}${quoted(name)}`
    if (list.length + next.length > 120)
      return `Unknown event types in eventTypes: ${list} and ${names.length - index} more.`
    list += next
  }
  return `Unknown event ${names.length === 1 ? 'type' : 'types'} in eventTypes: ${list}. GET /v1/event-types lists them.`
}
