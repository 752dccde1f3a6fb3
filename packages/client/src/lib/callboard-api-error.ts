/**
 * Why a call failed. The API's own codes:
 * - `VALIDATION_FAILED` (400): see {@link CallboardApiError.issues}.
 * - `UNAUTHENTICATED` (401): the key is missing, malformed, revoked or expired.
 * - `INSUFFICIENT_SCOPE` (403): the message names the scope.
 * - `NOT_FOUND` (404), `SUBSCRIPTION_LIMIT_REACHED` (409).
 * - `RATE_LIMITED` (429): the limit would have to be waited out for longer than `maxRateLimitWaitMs`.
 * - `INTERNAL` (500), `UNAVAILABLE` (503): after the retries.
 *
 * The client's:
 * - `UNREACHABLE`: no answer, or one that broke off; after the retries. `cause` is what `fetch` said.
 * - `TIMED_OUT`: no answer within `timeoutMs`; after the retries.
 * - `RESPONSE_INVALID`: an answer that is not the API's: a proxy's page, a redirect, another `baseUrl`.
 * - `CONFIGURATION_INVALID`: an option of `createClient` that cannot be right.
 */
export type CallboardApiErrorCode =
  | 'VALIDATION_FAILED'
  | 'UNAUTHENTICATED'
  | 'INSUFFICIENT_SCOPE'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'SUBSCRIPTION_LIMIT_REACHED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'UNREACHABLE'
  | 'TIMED_OUT'
  | 'RESPONSE_INVALID'
  | 'CONFIGURATION_INVALID'

/** What is wrong with one field of a request. */
export interface FieldIssue {
  /** Dot-separated path of the field, `''` for the whole body. */
  readonly path: string
  readonly message: string
}

export interface CallboardApiErrorOptions {
  readonly statusCode?: number | undefined
  readonly requestId?: string | undefined
  readonly path?: string | undefined
  readonly timestamp?: string | undefined
  readonly issues?: readonly FieldIssue[] | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/**
 * What every call of the client rejects with, but for an abort: that rejects with the signal's reason. Neither its
 * message nor its members hold the key, a secret or what was answered beyond the API's error fields.
 */
export class CallboardApiError extends Error {
  override readonly name = 'CallboardApiError'
  /** Stable, where the message is not. A newer API may have codes that this version does not know. */
  readonly code: CallboardApiErrorCode | (string & Record<never, never>)
  /** HTTP status; undefined when there was no answer. */
  readonly statusCode: number | undefined
  /** To quote to the platform's support. */
  readonly requestId: string | undefined
  /** Path of the request, as the API saw it. */
  readonly path: string | undefined
  /** When the API answered, ISO 8601 in UTC. */
  readonly timestamp: string | undefined
  /** On 400: what is wrong, field by field; else empty. */
  readonly issues: readonly FieldIssue[]
  /** Seconds to wait, where the API says so. */
  readonly retryAfter: number | undefined

  constructor(code: CallboardApiError['code'], message: string, options: CallboardApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.statusCode = options.statusCode
    this.requestId = options.requestId
    this.path = options.path
    this.timestamp = options.timestamp
    this.issues = options.issues ?? []
    this.retryAfter = options.retryAfter
  }
}
