/**
 * The reason for a failed call. Codes of the API:
 * - `VALIDATION_FAILED` (400): see {@link CallboardApiError.issues}.
 * - `UNAUTHENTICATED` (401): the key is missing, malformed, revoked or expired.
 * - `INSUFFICIENT_SCOPE` (403): the message names the scope.
 * - `NOT_FOUND` (404).
 * - `SUBSCRIPTION_LIMIT_REACHED`, `CHANGE_PENDING`, `DISABLED_BY_PLATFORM`, `SECRET_ROTATED`, `SUBSCRIPTION_DISABLED`,
 *   `EVENT_EXPIRED` (409), and `SUBSCRIPTION_EXISTS` (409), see {@link CallboardApiError.subscriptionId}.
 * - `RATE_LIMITED` (429): too many requests, or too many new subscriptions within a minute. A call rejects with this
 *   code only if its waits would add up to more than `maxRateLimitWaitMs`.
 * - `INTERNAL` (500), `UNAVAILABLE` (503): the API failed, even on the last attempt.
 *
 * Codes of the client:
 * - `UNREACHABLE`: no complete response, even to the last attempt. `cause` is the error from `fetch`.
 * - `TIMED_OUT`: no response within `timeoutMs`, even to the last attempt.
 * - `RESPONSE_INVALID`: the response is not from the API. It may be a proxy's page or a redirect; check `baseUrl`.
 * - `CONFIGURATION_INVALID`: an invalid option of `createClient`.
 */
export type CallboardApiErrorCode =
  | 'VALIDATION_FAILED'
  | 'UNAUTHENTICATED'
  | 'INSUFFICIENT_SCOPE'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'SUBSCRIPTION_LIMIT_REACHED'
  | 'SUBSCRIPTION_EXISTS'
  | 'SUBSCRIPTION_DISABLED'
  | 'DISABLED_BY_PLATFORM'
  | 'CHANGE_PENDING'
  | 'EVENT_EXPIRED'
  | 'SECRET_ROTATED'
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
  /** Dot-separated path of the field, or `''` for the whole body. */
  readonly path: string
  readonly message: string
}

export interface CallboardApiErrorOptions {
  readonly statusCode?: number | undefined
  readonly requestId?: string | undefined
  readonly path?: string | undefined
  readonly timestamp?: string | undefined
  readonly issues?: readonly FieldIssue[] | undefined
  readonly subscriptionId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/**
 * The error that a failed call rejects with. An aborted call rejects with its signal's reason instead. The error never
 * contains the key, a secret or the body of a response that is not from the API.
 */
export class CallboardApiError extends Error {
  override readonly name = 'CallboardApiError'
  /**
   * The code is stable, unlike the message. A newer API can return codes that this version of the client does not know.
   */
  readonly code: CallboardApiErrorCode | (string & Record<never, never>)
  /** HTTP status; undefined when there was no response. */
  readonly statusCode: number | undefined
  /** The id of the request, to quote to the platform's support. */
  readonly requestId: string | undefined
  /** The path of the request, as the API received it. */
  readonly path: string | undefined
  /** When the API responded, in ISO 8601 and UTC. */
  readonly timestamp: string | undefined
  /** The problem with each field, if the status is 400; otherwise empty. */
  readonly issues: readonly FieldIssue[]
  /** The subscription that exists already, if the code is `SUBSCRIPTION_EXISTS`. */
  readonly subscriptionId: string | undefined
  /** The number of seconds to wait before a retry, if the response has a `Retry-After` header. */
  readonly retryAfter: number | undefined

  constructor(code: CallboardApiError['code'], message: string, options: CallboardApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.statusCode = options.statusCode
    this.requestId = options.requestId
    this.path = options.path
    this.timestamp = options.timestamp
    this.issues = options.issues ?? []
    this.subscriptionId = options.subscriptionId
    this.retryAfter = options.retryAfter
  }
}
