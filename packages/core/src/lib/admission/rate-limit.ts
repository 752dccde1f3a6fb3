/** A fixed window of time, aligned to the clock. */
export interface RateWindow {
  /** Length in whole seconds. */
  readonly seconds: number
  /** The most requests that one window admits. */
  readonly limit: number
}

/** The rate limits of a key: three windows, shortest first. */
export type RateLimits = readonly [RateWindow, RateWindow, RateWindow]

export const DEFAULT_RATE_LIMITS: RateLimits = [
  { seconds: 1, limit: 40 },
  { seconds: 10, limit: 250 },
  { seconds: 60, limit: 800 },
]

/** The rule that {@link areRateLimits} checks, worded as the end of an error message. */
export const RATE_LIMITS_RULE: string =
  'three windows, shortest first, with whole seconds (1 to 604,800, a week) and whole limits (1 to 1,000,000,000).'

const MAX_SECONDS = 604_800
/** Fits into 32 bits, like `MAX_SECONDS`, because a store may keep the numbers of a window in 32-bit integers. */
const MAX_LIMIT = 1_000_000_000

/**
 * Whether there are three windows, each longer than the previous window, with whole numbers within the allowed range.
 */
export function areRateLimits(limits: unknown): limits is RateLimits {
  if (!Array.isArray(limits) || limits.length !== 3) return false
  let longest = 0
  for (const window of limits) {
    const { seconds, limit }: Partial<RateWindow> = window ?? {}
    if (!isWhole(seconds, MAX_SECONDS) || !isWhole(limit, MAX_LIMIT) || seconds <= longest) return false
    longest = seconds
  }
  return true
}

function isWhole(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
}

/**
 * A window that starts more than this many milliseconds ahead of the clock was counted before the clock was set back,
 * and is ignored. A window may start a little ahead: a request reads the clock before it waits for the key's lock, for
 * up to 5 seconds.
 */
export const MAX_WINDOW_LEAD_MS = 5_000

/** The state of a window after a request was admitted or refused. */
export interface RateWindowState extends RateWindow {
  /** Requests left in this window. */
  readonly remaining: number
  /** Milliseconds until the next window starts. */
  readonly resetAfterMs: number
}
