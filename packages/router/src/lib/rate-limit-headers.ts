import type { RateWindowState } from '@callboard/core/store'

/** The two fields of draft-ietf-httpapi-ratelimit-headers-10, lists of structured items (RFC 9651), one item a window. */
export interface RateLimitHeaders {
  /** `"1s";q=40;w=1`: quota, and window in seconds. */
  readonly 'ratelimit-policy': string
  /** `"1s";r=39;t=1`: what remains, and the whole seconds until it is full again. */
  readonly ratelimit: string
}

/** How the windows of a key stand, for every authenticated response (decisions, “Rate limits”). */
export function rateLimitHeaders(windows: readonly RateWindowState[]): RateLimitHeaders {
  let policy = ''
  let standing = ''
  for (const { seconds, limit, remaining, resetAfterMs } of windows) {
    const name = `${policy === '' ? '' : ', '}"${seconds}s"`
    policy += `${name};q=${limit};w=${seconds}`
    standing += `${name};r=${remaining};t=${Math.ceil(resetAfterMs / 1000)}`
  }
  return { 'ratelimit-policy': policy, ratelimit: standing }
}
