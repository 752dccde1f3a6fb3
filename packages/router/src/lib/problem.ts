import { type ErrorCode, isCallboardError } from '@callboard/core'
import { type Call, pathOf } from './call.ts'
import type { Reply } from './reply.ts'
import type { ProblemBody, ProblemIssue } from './schemas.ts'

/** Codes of the error table that only HTTP knows. */
export type HttpCode = 'METHOD_NOT_ALLOWED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INTERNAL'

/**
 * The only place where a code becomes a status (decisions, “Errors”). Codes that are the platform's own business are
 * faults when a request meets them: 500.
 */
export const STATUS: Readonly<Record<ErrorCode | HttpCode, number>> = {
  VALIDATION_FAILED: 400,
  UNAUTHENTICATED: 401,
  INSUFFICIENT_SCOPE: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SUBSCRIPTION_LIMIT_REACHED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  CATALOG_INVALID: 500,
  CONFIGURATION_INVALID: 500,
  ACCOUNT_UNKNOWN: 500,
  ACCOUNT_EXISTS: 500,
  KEY_EXISTS: 500,
  EVENT_TYPE_UNKNOWN: 500,
  EVENT_TOO_LARGE: 500,
  EVENT_EXPIRED: 500,
  SUBSCRIPTION_DISABLED: 500,
  SUBSCRIPTION_MANAGED: 500,
  DISABLED_BY_PLATFORM: 500,
  SECRET_ROTATED: 500,
  IDEMPOTENCY_CONFLICT: 500,
  TRANSACTION_CONFLICT: 500,
  PINNING_UNSUPPORTED: 500,
}

/** Codes that a caller can be given. */
export const WIRE_CODES: readonly (ErrorCode | HttpCode)[] = [
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'INSUFFICIENT_SCOPE',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'SUBSCRIPTION_LIMIT_REACHED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
]

/** Characters of a message at most: automation tools show little more (decisions, “Errors”). */
const MAX_MESSAGE_LENGTH = 200

/** Why a request is not answered as asked. */
export interface Problem {
  readonly code: ErrorCode | HttpCode
  readonly message: string
  /** One entry a field, on 400. */
  readonly issues?: readonly ProblemIssue[] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Carries a problem out of the depth of a handler. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** What a caller learns of something thrown: of a fault nothing but that there was one. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) return error.problem
  if (!isCallboardError(error)) return INTERNAL
  const { code, message, issues, retryAfter } = error
  if (code === 'UNAVAILABLE') return { ...UNAVAILABLE, headers: { 'retry-after': String(retryAfter ?? 1) } }
  // A code of a newer core has no status here: it is below nothing, and so a fault.
  if (!(STATUS[code] < 500)) return INTERNAL
  return {
    code,
    message,
    issues,
    headers: retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) },
  }
}

/** The answer that tells of a problem: the contract's five fields, `errorCode`, and `issues` on 400. */
export function refuse({ code, message, issues, headers }: Problem, call: Call, now: number): Reply {
  const body: ProblemBody = {
    statusCode: STATUS[code],
    message: short(message),
    timestamp: new Date(now).toISOString(),
    path: pathOf(call),
    requestId: call.requestId,
    errorCode: code,
  }
  if (code === 'VALIDATION_FAILED') {
    const entries = issues === undefined || issues.length === 0 ? [{ path: '', message }] : issues
    // Core's issues have a code as well, which is not in the contract.
    body.issues = entries.map(({ path, message }) => ({ path, message: short(message) }))
  }
  return { status: body.statusCode, body: JSON.stringify(body), headers }
}

function short(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : message
}

const INTERNAL: Problem = {
  code: 'INTERNAL',
  message: 'Something went wrong on our side. Try again; if it stays, quote the requestId to support.',
}

const UNAVAILABLE: Problem = {
  code: 'UNAVAILABLE',
  message: 'The service cannot be reached at the moment. Try again shortly.',
}
