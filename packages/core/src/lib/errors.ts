import type { Issue } from './issue.ts'

/**
 * Why a verb of Callboard refused. Codes that reach callers over HTTP are those of the error table
 * (decisions, “Errors”); the others are for the platform's own code.
 */
export type ErrorCode =
  | 'VALIDATION_FAILED'
  | 'UNAUTHENTICATED'
  | 'INSUFFICIENT_SCOPE'
  | 'NOT_FOUND'
  | 'SUBSCRIPTION_LIMIT_REACHED'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'
  | 'CATALOG_INVALID'
  | 'CONFIGURATION_INVALID'
  | 'ACCOUNT_UNKNOWN'
  | 'ACCOUNT_EXISTS'
  | 'KEY_EXISTS'
  | 'EVENT_TYPE_UNKNOWN'
  | 'EVENT_TOO_LARGE'
  | 'EVENT_EXPIRED'
  | 'SUBSCRIPTION_DISABLED'
  | 'SUBSCRIPTION_MANAGED'
  | 'DISABLED_BY_PLATFORM'
  | 'SECRET_ROTATED'
  | 'IDEMPOTENCY_CONFLICT'
  | 'TRANSACTION_CONFLICT'
  | 'PINNING_UNSUPPORTED'

export interface CallboardErrorOptions {
  /** What failed underneath; for the platform's hooks, never for a caller. */
  readonly cause?: unknown
  /** One entry a field, for `VALIDATION_FAILED` and `CATALOG_INVALID`. */
  readonly issues?: readonly Issue[] | undefined
  /** Seconds to wait before trying again, for `RATE_LIMITED` and `UNAVAILABLE`. */
  readonly retryAfter?: number | undefined
}

/** The one error class that Callboard's verbs throw on purpose; anything else is a fault. */
export class CallboardError extends Error {
  override readonly name = 'CallboardError'
  readonly code: ErrorCode
  readonly issues: readonly Issue[]
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, options: CallboardErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.issues = options.issues ?? []
    this.retryAfter = options.retryAfter
  }
}

/** True for a {@link CallboardError}, of the given code when one is named. Works across copies of the package. */
export function isCallboardError(error: unknown, code?: ErrorCode): error is CallboardError {
  return (
    error instanceof Error &&
    error.name === 'CallboardError' &&
    'code' in error &&
    (code === undefined || error.code === code)
  )
}
