import type { ZodType } from 'zod'
import type { AddressPolicy } from '../targets/address-policy.ts'
import { type ParsedTargetUrl, parseTargetUrl, type TargetRule } from '../targets/target-url.ts'
import type { Issue } from '../validation/issue.ts'
import { quoted, type TextRange, textIssue } from '../validation/text-rules.ts'
import { unknownFields } from '../validation/unknown-fields.ts'
import { choiceIssue, validationFailed } from '../validation/validation.ts'
import { versionIssue } from '../versions/api-version.ts'
import type { Formats } from '../versions/formats.ts'
import type { Integration } from './integrations.ts'

/** How many different `eventTypes` a subscription can have. */
export const EVENT_TYPES_COUNT = { min: 1, max: 50 } as const
/** Length of `externalRef`, in code points. */
export const EXTERNAL_REF_LENGTH = { min: 1, max: 255 } as const
/** Length of `description`, in code points. */
export const DESCRIPTION_LENGTH = { min: 1, max: 255 } as const
const IDEMPOTENCY_KEY_LENGTH = { min: 1, max: 255 } as const

export interface SubscriptionRulesOptions {
  readonly formats: Formats
  readonly integrations: readonly Integration[]
  readonly addressPolicy: AddressPolicy
  /** Called when `check` refuses a target. */
  readonly onRefusedTarget: (accountId: string, rule: TargetRule) => void
}

/** The fields of a subscription, from the API or the dashboard. Omitted fields are not checked. */
export interface SubscriptionFields {
  readonly accountId: string
  /** The format version that the subscription is pinned to, or would be pinned to by default. */
  readonly pinned: string
  /** The format version to pin the subscription to. */
  readonly apiVersion?: string | undefined
  readonly targetUrl?: string | undefined
  /** Contains no duplicates. */
  readonly eventTypes?: readonly string[] | undefined
  /**
   * Types that the subscription already has. They are accepted even if they are no longer in the catalogue. Empty by
   * default.
   */
  readonly knownTypes?: readonly string[] | undefined
  readonly integration?: string | undefined
  readonly externalRef?: string | undefined
  readonly description?: string | undefined
  readonly idempotencyKey?: string | undefined
}

export interface SubscriptionRules {
  /** Throws one `VALIDATION_FAILED` that names every invalid field. */
  check(fields: SubscriptionFields): void
  /** Applies only the rules for `targetUrl`. */
  judgeTarget(targetUrl: unknown): ParsedTargetUrl
}

export function createSubscriptionRules({
  formats,
  integrations,
  addressPolicy,
  onRefusedTarget,
}: SubscriptionRulesOptions): SubscriptionRules {
  const managers = integrations.map(({ name }) => name)
  const judgeTarget = (targetUrl: unknown): ParsedTargetUrl => parseTargetUrl(targetUrl, addressPolicy)
  return {
    judgeTarget,
    check(fields) {
      const { accountId, pinned, apiVersion, targetUrl, eventTypes, knownTypes = [] } = fields
      const { integration, externalRef, description, idempotencyKey } = fields
      const version = formats.served(apiVersion ?? pinned)
      const target = targetUrl === undefined ? undefined : judgeTarget(targetUrl)
      if (target?.ok === false) onRefusedTarget(accountId, target.rule)
      const offered = new Set(formats.offered(version, accountId).map(({ type }) => type))
      const unknown = (eventTypes ?? []).filter((name) => !offered.has(name) && !knownTypes.includes(name))
      const issues = [
        target?.ok === false ? targetIssue(target.message) : undefined,
        versionIssue(apiVersion, formats),
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

/**
 * Parses an input with a schema that checks only the types of fields. Throws one `VALIDATION_FAILED` with an issue for
 * each field that is missing or has the wrong type, and one for the fields that a strict schema does not know.
 */
export function readKinds<Read>(schema: ZodType<Read>, input: unknown): Read {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  throw validationFailed(
    parsed.error.issues.map((issue): Issue => {
      const path = issue.path.map(String).join('.')
      if (issue.code === 'unrecognized_keys') return { path, code: 'TYPE', message: unknownFields(path, issue.keys) }
      return { path, code: issue.input === undefined ? 'REQUIRED' : 'TYPE', message: issue.message }
    }),
  )
}

/** The message for a field that is missing or has the wrong type. */
export function says(field: string, kind: string): { error: (issue: { readonly input?: unknown }) => string } {
  return {
    error: ({ input }) =>
      input === undefined ? `${field} is required and must be ${kind}.` : `${field} must be ${kind}.`,
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

/**
 * The issue for unknown event types. It lists as many of them as fit into a message of 200 characters, because
 * automation tools show about that much.
 */
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
  return issue(`Unknown event ${types} in eventTypes: ${list}. GET /v1/event-types lists the valid ones.`)
}
