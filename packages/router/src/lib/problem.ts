import { type ErrorCode, isCallboardError } from '@callboard/core'
import { type Call, pathOf } from './call.ts'
import type { Reply } from './reply.ts'

/** Error codes that exist only in HTTP. */
export type HttpCode = 'METHOD_NOT_ALLOWED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INTERNAL'

/** The HTTP status of each error code. A code that no API request should cause has the status 500. */
export const STATUS: Readonly<Record<ErrorCode | HttpCode, number>> = {
  VALIDATION_FAILED: 400,
  UNAUTHENTICATED: 401,
  INSUFFICIENT_SCOPE: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SUBSCRIPTION_LIMIT_REACHED: 409,
  SUBSCRIPTION_EXISTS: 409,
  SUBSCRIPTION_DISABLED: 409,
  DISABLED_BY_PLATFORM: 409,
  CHANGE_PENDING: 409,
  EVENT_EXPIRED: 409,
  SECRET_ROTATED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  CATALOG_INVALID: 500,
  CONFIGURATION_INVALID: 500,
  ACCOUNT_UNKNOWN: 500,
  ACCOUNT_EXISTS: 500,
  ACCOUNT_DELETED: 500,
  KEY_EXISTS: 500,
  KEY_LIMIT_REACHED: 500,
  PUBLISH_LIMIT_REACHED: 500,
  EVENT_TYPE_UNKNOWN: 500,
  EVENT_TOO_LARGE: 500,
  CONVERSION_FAILED: 500,
  SUBSCRIPTION_MANAGED: 500,
  IDEMPOTENCY_CONFLICT: 500,
  TRANSACTION_CONFLICT: 500,
  PINNING_UNSUPPORTED: 500,
}

/** Codes that a caller can receive: those of its own mistakes, and two for ours. */
export const WIRE_CODES: readonly string[] = Object.entries(STATUS)
  .filter(([code, status]) => status < 500 || code === 'INTERNAL' || code === 'UNAVAILABLE')
  .map(([code]) => code)

/** The maximum length of a message in characters. Automation tools do not show much more. */
const MAX_MESSAGE_LENGTH = 200

/** The body of every error. */
export interface ProblemBody {
  statusCode: number
  message: string
  timestamp: string
  path: string
  requestId: string
  errorCode: string
  /** Only in a 400: one entry for each mistake. `path` is dot-separated, or `''` for the whole body. */
  issues?: ProblemIssue[] | undefined
  /** Only with `SUBSCRIPTION_EXISTS`: the id of that subscription. */
  subscriptionId?: string | undefined
}

export interface ProblemIssue {
  readonly path: string
  readonly message: string
}

/** The reason for an error response. */
export interface Problem {
  readonly code: ErrorCode | HttpCode
  readonly message: string
  /** Only in a 400: one entry for each mistake. */
  readonly issues?: readonly ProblemIssue[] | undefined
  /** Only with `SUBSCRIPTION_EXISTS`. */
  readonly subscriptionId?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Thrown to answer a request with a problem. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** Turns a thrown error into a problem. A problem with the status 500 or 503 reveals nothing about the cause. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem
  if (!isCallboardError(error)) return INTERNAL
  const { code, message, issues, retryAfter, subscriptionId } = error
  if (code === 'UNAVAILABLE') return { ...UNAVAILABLE, headers: { 'retry-after': String(retryAfter ?? 1) } }
  // The condition is negated so that a code from a newer core, which has no status here, becomes `INTERNAL`.
  if (!(STATUS[code] < 500)) return INTERNAL
  return {
    code,
    message,
    issues,
    subscriptionId,
    headers: retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) },
  }
}

/** Creates the error response. Only a 400 has `issues`. */
export function refuse({ code, message, issues, subscriptionId, headers }: Problem, call: Call, now: number): Reply {
  const body: ProblemBody = {
    statusCode: STATUS[code],
    message: short(message),
    timestamp: new Date(now).toISOString(),
    path: pathOf(call),
    requestId: call.requestId,
    errorCode: code,
    subscriptionId,
  }
  if (code === 'VALIDATION_FAILED') {
    const entries = issues === undefined || issues.length === 0 ? [{ path: '', message }] : issues
    // Leaves out the `code` that core adds to each issue, because this code is not part of the API.
    body.issues = entries.map(({ path, message }) => ({ path, message: short(message) }))
  }
  return { status: body.statusCode, body: JSON.stringify(body), headers }
}

function short(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : message
}

const INTERNAL: Problem = {
  code: 'INTERNAL',
  message: 'Something went wrong on our side. Try again. If the problem persists, quote the requestId to support.',
}

const UNAVAILABLE: Problem = {
  code: 'UNAVAILABLE',
  message: 'The service is temporarily unavailable. Try again shortly.',
}
