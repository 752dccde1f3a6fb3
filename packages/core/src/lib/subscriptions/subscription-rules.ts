import type { ZodType } from 'zod'
import type { Catalog } from '../events/catalog.ts'
import type { Issue } from '../issue.ts'
import type { AddressPolicy } from '../targets/address-policy.ts'
import { type ParsedTargetUrl, parseTargetUrl } from '../targets/target-url.ts'
import { quoted, type TextRange, textIssue } from '../text-rules.ts'
import { choiceIssue, validationFailed } from '../validation.ts'
import type { Integration } from './integrations.ts'

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
      const target = targetUrl === undefined ? undefined : judgeTarget(targetUrl)
      const unknown = (eventTypes ?? []).filter((name) => catalog.get(name) === undefined && !knownTypes.includes(name))
      const issues = [
        target?.ok === false ? targetIssue(target.message) : undefined,
        ...(countIssue(eventTypes) ?? unknown.map((name) => unknownIssue([name]))),
        integration === undefined ? undefined : choiceIssue('integration', integration, managers),
        optionalTextIssue('externalRef', externalRef, EXTERNAL_REF_LENGTH),
        optionalTextIssue('description', description, DESCRIPTION_LENGTH),
        optionalTextIssue('idempotencyKey', idempotencyKey, IDEMPOTENCY_KEY_LENGTH),
      ].filter((issue) => issue !== undefined)
      if (issues.length === 0) return
      const listsThem = issues[0]?.path === 'eventTypes' && unknown.length > 1
      throw validationFailed(issues, listsThem ? unknownIssue(unknown).message : undefined)
    },
  }
}

export function targetIssue(message: string): Issue {
  return { path: 'targetUrl', code: 'TARGET', message }
}

/** Reads an input by its schema, which checks the kinds alone. Throws one `VALIDATION_FAILED` with an issue for each field. */
export function readKinds<Read>(schema: ZodType<Read>, input: unknown): Read {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  throw validationFailed(
    parsed.error.issues.map(({ path, message, input: found }): Issue => {
      return { path: path.map(String).join('.'), code: found === undefined ? 'REQUIRED' : 'TYPE', message }
    }),
  )
}

/** What is said of a field of the wrong kind, or of one that is not there. */
export function says(field: string, kind: string): { error: (issue: { readonly input?: unknown }) => string } {
  return {
    error: ({ input }) => (input === undefined ? `${field} is required: ${kind}.` : `${field} must be ${kind}.`),
  }
}

function optionalTextIssue(path: string, text: string | undefined, range: TextRange): Issue | undefined {
  return text === undefined ? undefined : textIssue(path, text, range)
}

function countIssue(eventTypes: readonly string[] | undefined): [Issue] | undefined {
  const { min, max } = EVENT_TYPES_COUNT
  if (eventTypes === undefined || (eventTypes.length >= min && eventTypes.length <= max)) return undefined
  return [{ path: 'eventTypes', code: 'COUNT', message: `eventTypes must name ${min} to ${max} event types.` }]
}

/** Lists the unknown names, as many as a message that automation tools show has room for. */
function unknownIssue(names: readonly string[]): Issue {
  const issue = (message: string): Issue => ({ path: 'eventTypes', code: 'UNKNOWN', message })
  let list = ''
  for (const [index, name] of names.entries()) {
    const next = `${index > 0 ? ', ' : ''}${quoted(name)}`
    if (list.length + next.length > 120)
      return issue(`Unknown event types in eventTypes: ${list} and ${names.length - index} more.`)
    list += next
  }
  const types = names.length === 1 ? 'type' : 'types'
  return issue(`Unknown event ${types} in eventTypes: ${list}. GET /v1/event-types lists them.`)
}
