import type { ErrorCode } from '@callboard/core'
import { type HttpCode, STATUS } from '../problem.ts'
import type { Examples, ProblemExample } from './examples.ts'
import { type HeaderName, type KeyHeaders, responseHeaders } from './headers.ts'
import { jsonContent } from './json-content.ts'
import type { PathItem, Reference, ResponseObject } from './openapi-document.ts'
import { pascalCase } from './pascal-case.ts'

interface ProblemResponse {
  readonly code: ErrorCode | HttpCode
  readonly description: string
  readonly keyHeaders?: KeyHeaders | undefined
  readonly header?: HeaderName | undefined
}

/** The problems that the document describes, in order of status. */
// biome-ignore format: a table
const PROBLEMS: Readonly<Record<ProblemExample, ProblemResponse>> = {
  INVALID_QUERY: { code: 'VALIDATION_FAILED', description: 'A query parameter or `Callboard-Version` is invalid; `issues` names it.' },
  INVALID_BODY: { code: 'VALIDATION_FAILED', description: 'The body or `Callboard-Version` is invalid; `issues` names each field and its mistake.' },
  UNAUTHENTICATED: { code: 'UNAUTHENTICATED', description: 'The key is missing, badly formatted, unknown, revoked or expired.', keyHeaders: 'never', header: 'WWW-Authenticate' },
  INSUFFICIENT_SCOPE: { code: 'INSUFFICIENT_SCOPE', description: 'The key is valid but lacks the scope that this operation requires.', header: 'WWW-Authenticate' },
  NOT_FOUND: { code: 'NOT_FOUND', description: 'The account has no such subscription in the mode of this key, or it was not created through this API.' },
  EVENT_NOT_FOUND: { code: 'NOT_FOUND', description: 'The account has no such event in the mode of this key, or it is older than the list of events goes back.' },
  SOURCE_ADDRESSES_NOT_SET: { code: 'NOT_FOUND', description: 'The platform has not published the addresses of its deliveries.' },
  SUBSCRIPTION_LIMIT_REACHED: { code: 'SUBSCRIPTION_LIMIT_REACHED', description: 'The account has reached its subscription limit. Remove a subscription first.' },
  SUBSCRIPTION_DISABLED: { code: 'SUBSCRIPTION_DISABLED', description: 'The subscription is disabled. Enable it first.' },
  EVENT_EXPIRED: { code: 'EVENT_EXPIRED', description: 'The event is past its retention period and has been removed.' },
  SUBSCRIPTION_EXISTS: { code: 'SUBSCRIPTION_EXISTS', description: 'Another subscription has the same target, event types, integration and `externalRef`; `subscriptionId` names it.' },
  DISABLED_BY_PLATFORM: { code: 'DISABLED_BY_PLATFORM', description: 'The platform disabled the subscription, and only the platform can enable it.' },
  CHANGE_PENDING: { code: 'CHANGE_PENDING', description: 'Deliveries from before the last change of event types are still pending. Wait until they are sent.' },
  SECRET_ROTATED: { code: 'SECRET_ROTATED', description: 'The current secret has another version. Get the subscription for its `secretVersion`.' },
  PAYLOAD_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE', description: 'The body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE', description: 'The body is not `application/json` in UTF-8.' },
  RATE_LIMITED: { code: 'RATE_LIMITED', description: 'Too many requests with this key, or too many new subscriptions, changes or test events within a minute. Wait for the number of seconds in `Retry-After`.', header: 'Retry-After' },
  INTERNAL: { code: 'INTERNAL', description: 'Something went wrong on our side. Try again.', keyHeaders: 'perhaps' },
  UNAVAILABLE: { code: 'UNAVAILABLE', description: 'The service is temporarily unavailable. Wait for the number of seconds in `Retry-After`.', keyHeaders: 'perhaps', header: 'Retry-After' },
}

const NAMES = Object.keys(PROBLEMS).filter((name): name is ProblemExample => Object.hasOwn(PROBLEMS, name))
const ENTRIES = NAMES.map((name) => [name, PROBLEMS[name]] as const)

/** The responses that {@link problemRefs} refers to in these paths, by name. */
export function problemResponses(
  examples: Examples,
  paths: Readonly<Record<string, PathItem>>,
): Record<string, ResponseObject> {
  const referring = JSON.stringify(paths)
  return Object.fromEntries(
    ENTRIES.filter(([name]) => referring.includes(`"${refOf(name)}"`)).map(
      ([name, { description, keyHeaders = 'always', header }]) => [
        pascalCase(name),
        {
          description,
          headers: responseHeaders(keyHeaders, ...(header === undefined ? [] : [header])),
          ...jsonContent('Problem', { [pascalCase(name)]: { summary: description, value: examples.problem(name) } }),
        },
      ],
    ),
  )
}

/**
 * Returns the responses for the given problems, keyed by status. A status that has one problem refers to its response. A
 * status that has several gets a response of its own, with the examples of all.
 */
export function problemRefs(
  names: readonly ProblemExample[],
  examples: Examples,
): Record<string, Reference | ResponseObject> {
  const known = ENTRIES.filter(([name]) => names.includes(name))
  return Object.fromEntries(
    known.map(([, { code }]) => {
      const ofStatus = known.filter(([, other]) => STATUS[other.code] === STATUS[code])
      return [String(STATUS[code]), responseOf(ofStatus, examples)]
    }),
  )
}

function refOf(name: ProblemExample): string {
  return `#/components/responses/${pascalCase(name)}`
}

function responseOf(entries: readonly (typeof ENTRIES)[number][], examples: Examples): Reference | ResponseObject {
  const [first, ...others] = entries
  if (first !== undefined && others.length === 0) return { $ref: refOf(first[0]) }
  const shown = entries.map(([name, { description }]) => [
    pascalCase(name),
    { summary: description, value: examples.problem(name) },
  ])
  return {
    description: entries.map(([name, { description }]) => `\`${name}\`: ${description}`).join(' '),
    headers: responseHeaders('always'),
    ...jsonContent('Problem', Object.fromEntries(shown)),
  }
}
