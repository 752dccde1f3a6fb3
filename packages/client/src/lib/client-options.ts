import { CallboardApiError } from './callboard-api-error.ts'

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface CallOptions {
  /** Aborts the call, even while it waits to retry. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of each attempt, including the response body; the client's `timeoutMs` by default. */
  readonly timeoutMs?: number | undefined
}

export interface ClientOptions {
  /**
   * Address of the API, without `/v1`: for example `https://api.example.com`, or `https://example.com/api` if the API
   * is mounted at `/api`.
   */
  readonly baseUrl: string
  /** The API key, exactly as issued. */
  readonly apiKey: string
  /**
   * The format version of all calls: a date, sent as `Callboard-Version`; by default the version of the key. It decides
   * the shape of events and samples, and the version of new subscriptions.
   */
  readonly apiVersion?: string | undefined
  /** Timeout of each attempt, including the response body; 30,000 by default. */
  readonly timeoutMs?: number | undefined
  /** The maximum number of retries of a call after temporary failures; 2 by default, 0 for none. */
  readonly maxRetries?: number | undefined
  /**
   * The longest total time that one call waits for rate limits to reset. If a longer wait is needed, the call rejects.
   * 60,000 by default, because the longest window of the default rate limits is 60 seconds; 0 to never wait.
   */
  readonly maxRateLimitWaitMs?: number | undefined
  /** The function that sends requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined
  /** The function that waits between attempts; by default, a timer that the signal cancels. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
  /** Returns a number from 0 up to 1, for the random part of each wait; `Math.random` by default. */
  readonly random?: (() => number) | undefined
}

/** Checks `baseUrl`, and removes trailing slashes. */
export function parseBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#@]/.test(baseUrl))
    throw invalid('baseUrl must be an https URL without user, query or fragment, such as https://api.example.com.')
  const trimmed = baseUrl.replace(/\/+$/, '')
  if (trimmed.endsWith('/v1')) throw invalid('baseUrl must end before /v1: the client adds the version.')
  return trimmed
}

/** The value of `Authorization`. The key is checked here, because `fetch` would quote a malformed key in its error. */
export function authorizationOf(apiKey: string): string {
  if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey))
    throw invalid('apiKey must be an API key as issued: check that it is set and has no spaces or line breaks.')
  return `Bearer ${apiKey}`
}

/** The header that asks for a format version; none if `apiVersion` is undefined. */
export function versionHeader(apiVersion: string | undefined): { readonly 'callboard-version'?: string } {
  if (apiVersion === undefined) return {}
  if (!/^\d{4}-\d{2}-\d{2}$/.test(apiVersion)) throw invalid('apiVersion must be a date, such as 2026-10-01.')
  return { 'callboard-version': apiVersion }
}

function invalid(message: string): CallboardApiError {
  return new CallboardApiError('CONFIGURATION_INVALID', message)
}
