import type { ZodType } from 'zod'
import type { AddressPolicy } from './address-policy.ts'
import type { Catalog } from './catalog.ts'
import { CallboardError, type Issue } from './errors.ts'
import type { Integration } from './integrations.ts'
import { type ParsedTargetUrl, parseTargetUrl } from './target-url.ts'
import { quoted, type TextRange, textProblem } from './text-rules.ts'

/** Entries of `eventTypes`, after repeats are folded (contract, section 8). */
export const EVENT_TYPES_COUNT = { min: 1, max: 50 } as const
/** Code points of `externalRef` (contract, section 8). */
export const EXTERNAL_REF_LENGTH = { min: 1, max: 255 } as const
/** Code points of `description`. */
export const DESCRIPTION_LENGTH = { min: 1, max: 255 } as const
const IDEMPOTENCY_KEY_LENGTH = { min: 1, max: 255 } as const

export interface SubscriptionRulesOptions {
  readonly catalog: Catalog
  readonly integrations: readonly Integration[]
  readonly addressPolicy: AddressPolicy
}

/** What is asked for, whoever asks; what is left out is not checked. */
export interface SubscriptionFields {
  readonly targetUrl?: string | undefined
  /** Without repeats. */
  readonly eventTypes?: readonly string[] | undefined
  /** Types that the subscription names already: one that left the catalogue may stay. None by default. */
  readonly knownTypes?: readonly string[] | undefined
  readonly integration?: string | undefined
  readonly externalRef?: string | undefined
  readonly description?: string | undefined
  readonly idempotencyKey?: string | undefined
}

export interface SubscriptionRules {
  /** Throws one `VALIDATION_FAILED` that names every field that is wrong. */
  check(fields: SubscriptionFields): void
  /** The rule for `targetUrl` alone. */
  judgeTarget(targetUrl: unknown): ParsedTargetUrl
}

export function createSubscriptionRules({
  catalog,
  integrations,
  addressPolicy,
}: SubscriptionRulesOptions): SubscriptionRules {
  const managers = integrations.map(({ name }) => name)
  const judgeTarget = (targetUrl: unknown): ParsedTargetUrl => parseTargetUrl(targetUrl, addressPolicy)
  return {
    judgeTarget,
    check({ targetUrl, eventTypes, knownTypes = [], integration, externalRef, description, idempotencyKey }) {
      const issues: Issue[] = []
      const target = targetUrl === undefined ? undefined : judgeTarget(targetUrl)
      if (target?.ok === false) issues.push({ path: 'targetUrl', message: target.message })
      const { min, max } = EVENT_TYPES_COUNT
      const unknown = (eventTypes ?? []).filter((name) => catalog.get(name) === undefined && !knownTypes.includes(name))
      if (eventTypes !== undefined && (eventTypes.length < min || eventTypes.length > max))
        issues.push({ path: 'eventTypes', message: `eventTypes must name ${min} to ${max} event types.` })
      else issues.push(...unknown.map((name) => ({ path: 'eventTypes', message: unknownTypes([name]) })))
      if (integration !== undefined && !managers.includes(integration))
        issues.push({ path: 'integration', message: `integration must be one of ${managers.join(', ')}.` })
      issues.push(...textIssues('externalRef', externalRef, EXTERNAL_REF_LENGTH))
      issues.push(...textIssues('description', description, DESCRIPTION_LENGTH))
      issues.push(...textIssues('idempotencyKey', idempotencyKey, IDEMPOTENCY_KEY_LENGTH))
      if (issues.length === 0) return
      const listsThem = issues[0]?.path === 'eventTypes' && unknown.length > 1
      throw failed(issues, listsThem ? unknownTypes(unknown) : undefined)
    },
  }
}

/** Reads an input by its schema, which checks the kinds alone. Throws one `VALIDATION_FAILED` with an issue for each field. */
export function readKinds<Read>(schema: ZodType<Read>, input: unknown): Read {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw failed(parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message })))
}

/** What is said of a field of the wrong kind, or of one that is not there. */
export function says(field: string, kind: string): { error: (issue: { readonly input?: unknown }) => string } {
  return {
    error: ({ input }) => (input === undefined ? `${field} is required: ${kind}.` : `${field} must be ${kind}.`),
  }
}

function textIssues(path: string, text: string | undefined, range: TextRange): Issue[] {
  const problem = text === undefined ? undefined : textProblem(text, range)
  return problem === undefined ? [] : [{ path, message: `${path} ${problem}` }]
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
