import { CallboardApiError } from './callboard-api-error.ts'

/** As much of `fetch` as is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface CallOptions {
  /** Ends the call, its waits included: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long one try may take, its body included; the client's by default. */
  readonly timeoutMs?: number | undefined
}

export interface ClientOptions {
  /** Where the API is, up to `/v1`: `https://api.example.com`, or `https://example.com/api` where it is mounted there. */
  readonly baseUrl: string
  /** The API key, as it was issued. */
  readonly apiKey: string
  /** How long one try may take, its body included; 30,000 by default. */
  readonly timeoutMs?: number | undefined
  /** Tries beyond the first after a failure that may pass; 2 by default, 0 for none. */
  readonly maxRetries?: number | undefined
  /** How long a call waits out rate limits in all before it rejects; 60,000 by default, as the longest window; 0 for never. */
  readonly maxRateLimitWaitMs?: number | undefined
  /** Sends the requests; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined
  /** Waits between tries; by default a timer that the signal ends. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
  /** From 0 up to 1, varies the waits; `Math.random` by default. */
  readonly random?: (() => number) | undefined
}

/** `baseUrl` without slashes at its end. */
export function parseBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#@]/.test(baseUrl))
    throw invalid('baseUrl must be an https URL without user, query and fragment, such as https://api.example.com.')
  const trimmed = baseUrl.replace(/\/+$/, '')
  if (trimmed.endsWith('/v1')) throw invalid('baseUrl ends before /v1: the client adds the version itself.')
  return trimmed
}

/** The value of `Authorization`. Checked here, since `fetch` would quote a malformed one in its error. */
export function authorizationOf(apiKey: string): string {
  if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey))
    throw invalid('apiKey must be an API key as it was issued: is it set, and without spaces and line breaks?')
  return `Bearer ${apiKey}`
}

function invalid(message: string): CallboardApiError {
  return new CallboardApiError('CONFIGURATION_INVALID', message)
}
