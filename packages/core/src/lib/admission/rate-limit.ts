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
  'three windows, shortest first, of whole seconds (1 to 604,800, a week) and whole limits (1 to 1,000,000,000).'

const MAX_SECONDS = 604_800
/** Counts and milliseconds of a window stay within the 32 bits that a store may keep them in. */
const MAX_LIMIT = 1_000_000_000

/** Whether windows can be counted: three of different length, shortest first, whole numbers in their ranges. */
export function areRateLimits(limits: RateLimits): boolean {
  const whole = limits.every(({ seconds, limit }) => isWhole(seconds, MAX_SECONDS) && isWhole(limit, MAX_LIMIT))
  const [first, second, third] = limits
  return limits.length === 3 && whole && first.seconds < second.seconds && second.seconds < third.seconds
}

function isWhole(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max
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
