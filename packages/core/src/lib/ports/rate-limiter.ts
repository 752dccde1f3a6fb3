import type { RateLimits, RateWindowState } from '../admission/rate-limit.ts'

/** A rate limiter for a platform that counts requests outside its store, for example in Redis. */
export interface RateLimiter {
  /**
   * Counts one request in all three windows of a key, atomically across all nodes. However many requests race, no
   * window admits more than its limit, and a refused request counts in none. Windows are fixed, aligned to the clock,
   * and never move back.
   */
  take(keyId: string, limits: RateLimits): Promise<RateDecision>
}

export interface RateDecision {
  readonly admitted: boolean
  readonly windows: readonly RateWindowState[]
}
