/** One fixed window, aligned to the clock. */
export interface RateWindow {
  /** Length in whole seconds. */
  readonly seconds: number
  /** Requests admitted in it. */
  readonly limit: number
}

/** The three windows of a key, shortest first. */
export type RateLimits = readonly [RateWindow, RateWindow, RateWindow]

/** Contract, section 8. */
export const DEFAULT_RATE_LIMITS: RateLimits = [
  { seconds: 1, limit: 40 },
  { seconds: 10, limit: 250 },
  { seconds: 60, limit: 800 },
]

/** The rule of {@link areRateLimits}, as the end of a sentence. */
export const RATE_LIMITS_RULE: string =
  'three windows, shortest first, of whole seconds and whole limits, each at least 1.'

/** Whether windows can be counted: three of different length, shortest first, whole numbers from 1. */
export function areRateLimits(limits: RateLimits): boolean {
  const whole = limits.every(
    ({ seconds, limit }) => Number.isInteger(seconds) && seconds >= 1 && Number.isInteger(limit) && limit >= 1,
  )
  const [first, second, third] = limits
  return limits.length === 3 && whole && first.seconds < second.seconds && second.seconds < third.seconds
}

/** How a window stands after a request was judged. */
export interface RateWindowState extends RateWindow {
  /** Requests that may still be made in it. */
  readonly remaining: number
  /** Milliseconds until it starts again. */
  readonly resetAfterMs: number
}

/**
 * Whole seconds to wait, at least 1, until all exceeded windows have reset (decisions, “Rate limits”).
 */
export function retryAfterSeconds(windows: readonly RateWindowState[]): number {
  const waits = windows.filter((window) => window.remaining === 0).map((window) => window.resetAfterMs)
  return Math.max(1, Math.ceil(Math.max(0, ...waits) / 1000))
}
