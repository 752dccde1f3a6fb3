import type { ErrorCode } from '@callboard/core'
import { type HttpCode, STATUS } from '../problem.ts'
import type { Examples, ProblemExample } from './examples.ts'
import { type HeaderName, type KeyHeaders, responseHeaders } from './headers.ts'
import { jsonContent } from './json-content.ts'
import type { Reference, ResponseObject } from './openapi-document.ts'
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
  SUBSCRIPTION_LIMIT_REACHED: { code: 'SUBSCRIPTION_LIMIT_REACHED', description: 'The account has reached its subscription limit. Remove a subscription first.' },
  PAYLOAD_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE', description: 'The body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE', description: 'The body is not `application/json` in UTF-8.' },
  RATE_LIMITED: { code: 'RATE_LIMITED', description: 'Too many requests with this key, or too many new subscriptions within a minute. Wait for the number of seconds in `Retry-After`.', header: 'Retry-After' },
  INTERNAL: { code: 'INTERNAL', description: 'Something went wrong on our side. Try again.', keyHeaders: 'perhaps' },
  UNAVAILABLE: { code: 'UNAVAILABLE', description: 'The service is temporarily unavailable. Wait for the number of seconds in `Retry-After`.', keyHeaders: 'perhaps', header: 'Retry-After' },
}

const NAMES = Object.keys(PROBLEMS).filter((name): name is ProblemExample => Object.hasOwn(PROBLEMS, name))
const ENTRIES = NAMES.map((name) => [name, PROBLEMS[name]] as const)

/** The response for each problem, under the name by which {@link problemRefs} refers to it. */
export function problemResponses(examples: Examples): Record<string, ResponseObject> {
  return Object.fromEntries(
    ENTRIES.map(([name, { description, keyHeaders = 'always', header }]) => [
      pascalCase(name),
      {
        description,
        headers: responseHeaders(keyHeaders, ...(header === undefined ? [] : [header])),
        ...jsonContent('Problem', { [pascalCase(name)]: { summary: description, value: examples.problem(name) } }),
      },
    ]),
  )
}

/** Returns references to the responses for the given problems, keyed by status. */
export function problemRefs(names: readonly ProblemExample[]): Record<string, Reference> {
  const known = new Set<ProblemExample>(names)
  return Object.fromEntries(
    ENTRIES.filter(([name]) => known.has(name)).map(([name, { code }]) => [
      String(STATUS[code]),
      { $ref: `#/components/responses/${pascalCase(name)}` },
    ]),
  )
}
