import type { RateLimits, RateWindowState } from '../admission/rate-limit.ts'

/** The limiter by itself, for a platform that keeps its counts elsewhere than in its store (Redis, for one). */
export interface RateLimiter {
  /**
   * Takes one request from all three windows of a key, as one atomic step on every node together: no window admits more
   * than its limit, and a refused request counts in none. Windows are fixed, aligned to the clock, and never move back.
   */
  take(keyId: string, limits: RateLimits): Promise<RateDecision>
}

export interface RateDecision {
  readonly admitted: boolean
  readonly windows: readonly RateWindowState[]
}
