import { CallboardApiError } from './callboard-api-error.ts'

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface CallOptions {
  /** Aborts the call, including its waits; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long one attempt may take, including its body; the client's `timeoutMs` by default. */
  readonly timeoutMs?: number | undefined
}

export interface ClientOptions {
  /**
   * Address of the API, up to `/v1`: `https://api.example.com`, or `https://example.com/api` where it is mounted there.
   */
  readonly baseUrl: string
  /** The API key, as issued. */
  readonly apiKey: string
  /** How long one attempt may take, including its body; 30,000 by default. */
  readonly timeoutMs?: number | undefined
  /** How often a call is retried after a failure that may pass; 2 by default, 0 for never. */
  readonly maxRetries?: number | undefined
  /**
   * How long a call waits out rate limits in total before it rejects. 60,000 by default, the length of the longest
   * window; 0 for not at all.
   */
  readonly maxRateLimitWaitMs?: number | undefined
  /** Sends the requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined
  /** Waits between attempts; by default a timer that the signal cancels. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
  /** Returns a number from 0 up to 1 that varies the waits; `Math.random` by default. */
  readonly random?: (() => number) | undefined
}

/** Checks `baseUrl`, and removes slashes at its end. */
export function parseBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#@]/.test(baseUrl))
    throw invalid('baseUrl must be an https URL without user, query or fragment, such as https://api.example.com.')
  const trimmed = baseUrl.replace(/\/+$/, '')
  if (trimmed.endsWith('/v1')) throw invalid('baseUrl must end before /v1: the client adds the version.')
  return trimmed
}

/** The value of `Authorization`. Checked here, because `fetch` would quote a malformed key in its error. */
export function authorizationOf(apiKey: string): string {
  if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey))
    throw invalid('apiKey must be an API key as issued: check that it is set and has no spaces or line breaks.')
  return `Bearer ${apiKey}`
}

function invalid(message: string): CallboardApiError {
  return new CallboardApiError('CONFIGURATION_INVALID', message)
}
