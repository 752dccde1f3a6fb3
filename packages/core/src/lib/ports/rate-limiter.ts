import type { RateLimits, RateWindowState } from '../admission/rate-limit.ts'

/** A rate limiter for a platform that counts requests outside its store, for example in Redis. */
export interface RateLimiter {
  /**
   * Counts one request in all three windows of a key, atomically across all nodes. No window admits more than its
   * limit, even when requests race, and a refused request is counted in no window. Windows have a fixed length and are
   * aligned to the clock. A clock that is set back by at most 5 seconds does not reopen an earlier window; one that is
   * set back further does, so that no key is refused until the clock catches up.
   */
  takeRequest(key: LimitedKey, limits: RateLimits): Promise<RateDecision>
}

/** The API key with which a request was made. */
export interface LimitedKey {
  readonly accountId: string
  readonly keyId: string
}

export interface RateDecision {
  readonly admitted: boolean
  readonly windows: readonly RateWindowState[]
}
