/**
 * Why a call failed. Codes of the API:
 * - `VALIDATION_FAILED` (400): see {@link CallboardApiError.issues}.
 * - `UNAUTHENTICATED` (401): the key is missing, malformed, revoked or expired.
 * - `INSUFFICIENT_SCOPE` (403): the message names the scope.
 * - `NOT_FOUND` (404), `SUBSCRIPTION_LIMIT_REACHED` (409).
 * - `RATE_LIMITED` (429): waiting out the limit would take longer than `maxRateLimitWaitMs`.
 * - `INTERNAL` (500), `UNAVAILABLE` (503): after the retries.
 *
 * Codes of the client:
 * - `UNREACHABLE`: no complete answer, after the retries. `cause` is the error of `fetch`.
 * - `TIMED_OUT`: no answer within `timeoutMs`, after the retries.
 * - `RESPONSE_INVALID`: an answer that is not from the API, such as a proxy's page or a redirect, or a wrong `baseUrl`.
 * - `CONFIGURATION_INVALID`: an invalid option of `createClient`.
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

/** A problem with one field of a request. */
export interface FieldIssue {
  /** Dot-separated path of the field; `''` for the whole body. */
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
 * The error that every call of the client rejects with, except an aborted one, which rejects with the signal's reason.
 * Neither the message nor the members contain the key, a secret or any part of the answer but the API's error fields.
 */
export class CallboardApiError extends Error {
  override readonly name = 'CallboardApiError'
  /** Stable, unlike the message. A newer API may have codes that this version does not know. */
  readonly code: CallboardApiErrorCode | (string & Record<never, never>)
  /** HTTP status; undefined when there was no answer. */
  readonly statusCode: number | undefined
  /** The id to quote to the platform's support. */
  readonly requestId: string | undefined
  /** Path of the request, as seen by the API. */
  readonly path: string | undefined
  /** When the API answered, ISO 8601 in UTC. */
  readonly timestamp: string | undefined
  /** On 400, the problems, field by field; otherwise empty. */
  readonly issues: readonly FieldIssue[]
  /** Seconds to wait, if the API named them. */
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
