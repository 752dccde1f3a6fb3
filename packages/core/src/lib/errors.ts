import type { Issue } from './validation/issue.ts'

/**
 * Why Callboard refused a call. The router's `problem.ts` lists the codes that reach callers over HTTP; only the
 * platform's own code sees the other codes.
 */
export type ErrorCode =
  | 'VALIDATION_FAILED'
  | 'UNAUTHENTICATED'
  | 'INSUFFICIENT_SCOPE'
  | 'NOT_FOUND'
  | 'SUBSCRIPTION_LIMIT_REACHED'
  | 'KEY_LIMIT_REACHED'
  | 'PUBLISH_LIMIT_REACHED'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'
  | 'CATALOG_INVALID'
  | 'CONFIGURATION_INVALID'
  | 'ACCOUNT_UNKNOWN'
  | 'ACCOUNT_EXISTS'
  | 'ACCOUNT_DELETED'
  | 'KEY_EXISTS'
  | 'EVENT_TYPE_UNKNOWN'
  | 'EVENT_TOO_LARGE'
  | 'EVENT_EXPIRED'
  | 'CONVERSION_FAILED'
  | 'SUBSCRIPTION_DISABLED'
  | 'SUBSCRIPTION_EXISTS'
  | 'SUBSCRIPTION_MANAGED'
  | 'CHANGE_PENDING'
  | 'DISABLED_BY_PLATFORM'
  | 'SECRET_ROTATED'
  | 'IDEMPOTENCY_CONFLICT'
  | 'TRANSACTION_CONFLICT'
  | 'PINNING_UNSUPPORTED'

export interface CallboardErrorOptions {
  /** The underlying error. The platform's hooks receive it; API callers never see it. */
  readonly cause?: unknown
  /** One entry per mistake, for `VALIDATION_FAILED`, `CATALOG_INVALID` and `CONFIGURATION_INVALID`. */
  readonly issues?: readonly Issue[] | undefined
  /** Seconds to wait before retrying, for `RATE_LIMITED` and `UNAVAILABLE`. */
  readonly retryAfter?: number | undefined
  /** Milliseconds to wait before publishing again, for `PUBLISH_LIMIT_REACHED`. */
  readonly retryAfterMs?: number | undefined
  /** The subscription that has this identity already, for `SUBSCRIPTION_EXISTS`. */
  readonly subscriptionId?: string | undefined
}

/** The only error class that Callboard throws on purpose. Any other error is a bug or a failure. */
export class CallboardError extends Error {
  override readonly name = 'CallboardError'
  readonly code: ErrorCode
  readonly issues: readonly Issue[]
  readonly retryAfter: number | undefined
  /** Milliseconds to wait before publishing again; only for `PUBLISH_LIMIT_REACHED`. */
  readonly retryAfterMs: number | undefined
  /** The subscription that has this identity already; only for `SUBSCRIPTION_EXISTS`. */
  readonly subscriptionId: string | undefined

  constructor(code: ErrorCode, message: string, options: CallboardErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.issues = options.issues ?? []
    this.retryAfter = options.retryAfter
    this.retryAfterMs = options.retryAfterMs
    this.subscriptionId = options.subscriptionId
  }
}

/**
 * Whether an error is a {@link CallboardError}, and has this code if `code` is given. Also recognises errors from
 * another copy of the package.
 */
export function isCallboardError(error: unknown, code?: ErrorCode): error is CallboardError {
  return (
    error instanceof Error &&
    error.name === 'CallboardError' &&
    'code' in error &&
    (code === undefined || error.code === code)
  )
}
