import type { RateWindowState } from '@callboard/core/store'

/** The headers of draft-ietf-httpapi-ratelimit-headers-10. Each header has one item (RFC 9651) per window. */
export interface RateLimitHeaders {
  /** For example `"1s";q=40;w=1`: the quota, and the length of the window in seconds. */
  readonly 'ratelimit-policy': string
  /** For example `"1s";r=39;t=1`: the requests left, and the whole seconds until the window resets. */
  readonly ratelimit: string
}

/** Creates the rate-limit headers for the response to an authenticated request. */
export function rateLimitHeaders(windows: readonly RateWindowState[]): RateLimitHeaders {
  let policy = ''
  let state = ''
  for (const { seconds, limit, remaining, resetAfterMs } of windows) {
    const name = `${policy === '' ? '' : ', '}"${seconds}s"`
    policy += `${name};q=${limit};w=${seconds}`
    state += `${name};r=${remaining};t=${Math.ceil(resetAfterMs / 1000)}`
  }
  return { 'ratelimit-policy': policy, ratelimit: state }
}

/** Seconds until every used-up window has reset: a whole number from 1 to the length of the longest window. */
export function retryAfterSeconds(windows: readonly RateWindowState[]): number {
  const waits = windows.filter((window) => window.remaining === 0).map((window) => window.resetAfterMs)
  const longest = Math.max(...windows.map((window) => window.seconds))
  return Math.max(1, Math.min(Math.ceil(Math.max(0, ...waits) / 1000), longest))
}
