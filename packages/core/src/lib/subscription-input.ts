import * as z from 'zod'
import type { AddressPolicy } from './address-policy.ts'
import type { Catalog } from './catalog.ts'
import { CallboardError, type Issue } from './errors.ts'
import type { Integration } from './integrations.ts'
import { parseTargetUrl } from './target-url.ts'
import { textProblem } from './text-rules.ts'

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

/** The shape alone, for the OpenAPI document; {@link createSubscriptionParser} holds the rules that need a catalogue. */
export const subscriptionShape: z.ZodType<SubscriptionInput> = z.object({
  targetUrl: z.string(),
  eventTypes: z.array(z.string()),
  integration: z.string(),
  externalRef: z
    .string()
    .nullish()
    .transform((value) => value ?? undefined),
})

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
    const shape = subscriptionShape.safeParse(input)
    if (!shape.success)
      throw failed(
        shape.error.issues.map((issue) => ({
          path: issue.path.map(String).join('.'),
          message: sentence(issue.path.map(String).join('.'), issue.message),
        })),
      )
    const { targetUrl, integration, externalRef } = shape.data
    const eventTypes = [...new Set(shape.data.eventTypes)]
    const issues: Issue[] = []
    const target = parseTargetUrl(targetUrl, addressPolicy)
    if (!target.ok) issues.push({ path: 'targetUrl', message: target.message })
    const { min, max } = EVENT_TYPES_COUNT
    const unknown = eventTypes.filter((name) => catalog.get(name) === undefined)
    if (eventTypes.length < min || eventTypes.length > max)
      issues.push({ path: 'eventTypes', message: `eventTypes must name ${min} to ${max} event types.` })
    else if (unknown.length > 0) issues.push({ path: 'eventTypes', message: unknownTypes(unknown) })
    if (!names.includes(integration))
      issues.push({ path: 'integration', message: `integration must be one of ${names.join(', ')}.` })
    const refProblem = externalRef === undefined ? undefined : textProblem(externalRef, EXTERNAL_REF_LENGTH)
    if (refProblem !== undefined) issues.push({ path: 'externalRef', message: `externalRef ${refProblem}` })
    if (issues.length > 0 || !target.ok) throw failed(issues)
    return { targetUrl, normalizedUrl: target.normalized, eventTypes, integration, externalRef }
  }
}

function failed(issues: readonly Issue[]): CallboardError {
  const [first] = issues
  return new CallboardError('VALIDATION_FAILED', first?.message ?? 'The body is not valid.', { issues })
}

function sentence(path: string, message: string): string {
  return path === '' ? `The body must be a JSON object: ${message}` : `${path}: ${message}`
}

/** Lists the unknown names, as many as a message that automation tools show has room for. */
function unknownTypes(names: readonly string[]): string {
  let list = ''
  for (const [index, name] of names.entries()) {
    const next = `${index > 0 ? ', ' : ''}${JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)}`
    if (list.length + next.length > 120)
      return `Unknown event types in eventTypes: ${list} and ${names.length - index} more.`
    list += next
  }
  return `Unknown event types in eventTypes: ${list}. GET /v1/event-types lists them.`
}
