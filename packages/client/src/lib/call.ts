import { CallboardApiError } from './callboard-api-error.ts'
import type { CallOptions, ClientOptions } from './client-options.ts'
import type { Connection } from './connection.ts'
import { exchange } from './exchange.ts'

/** Calls one endpoint; `path` begins with `/v1`. */
export type Call = <T>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  options: CallOptions | undefined,
  body?: object,
) => Promise<T>

/** The statuses of temporary failures. 429 is not included, because rate limits have their own retry rule. */
const PASSING: ReadonlySet<number> = new Set([408, 500, 502, 503, 504])
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000
const MOST_JITTER_MS = 2000

/**
 * Creates the function that calls endpoints and retries. Every endpoint but that of test events is safe to retry:
 * creating a subscription twice
 * returns the existing one, removing it twice is not an error, and resending an event twice sends it with the same id.
 */
export function createCall(
  { fetch, base, headers: common, sleep, random }: Connection,
  { timeoutMs = 30_000, maxRetries = 2, maxRateLimitWaitMs = 60_000 }: ClientOptions,
): Call {
  return async <T>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    options: CallOptions = {},
    body?: object,
  ) => {
    const { signal } = options
    const content = body && { 'content-type': 'application/json' }
    const headers = { ...common, accept: 'application/json', ...content }
    const request = { fetch, method, url: base + path, headers, body: body ? JSON.stringify(body) : null }
    let retries = 0
    let limitedMs = 0
    for (;;) {
      try {
        return await exchange<T>({ ...request, timeoutMs: options.timeoutMs ?? timeoutMs, signal })
      } catch (error) {
        if (!(error instanceof CallboardApiError)) throw error
        const asked = (error.retryAfter ?? 0) * 1000
        let wait: number
        if (error.statusCode === 429) {
          wait = Math.max(asked, 1000)
          limitedMs += wait
          if (limitedMs > maxRateLimitWaitMs) throw error
        } else {
          if (!mayPass(error) || retries >= maxRetries || asked > LONGEST_WAIT_MS) throw error
          wait = Math.max(asked, Math.min(FIRST_WAIT_MS * 2 ** retries, LONGEST_WAIT_MS))
          retries += 1
        }
        // Waits at least as long as the API asks. The jitter keeps clients that fail at the same time from retrying at
        // the same time.
        await sleep(Math.round(wait + random() * Math.min(wait / 2, MOST_JITTER_MS)), signal)
      }
    }
  }
}

/** Whether a failure may be temporary, so that the same request may succeed later. */
export function mayPass({ code, statusCode }: CallboardApiError): boolean {
  return statusCode === undefined ? code === 'UNREACHABLE' || code === 'TIMED_OUT' : PASSING.has(statusCode)
}
