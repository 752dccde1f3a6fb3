import type { RateDecision, RateLimits } from '@callboard/core'

/** Requests admitted in one window. */
export interface WindowCount {
  readonly lengthMs: number
  /** When the window began, in milliseconds since the epoch. */
  readonly start: number
  readonly count: number
}

/**
 * Takes one request from all windows of a key, or from none. Windows never move back: when the clock does, the request
 * counts in the window it had reached.
 */
export function takeFromWindows(counts: WindowCount[], limits: RateLimits, now: number): RateDecision {
  const current = limits.map(({ seconds }, index): WindowCount => {
    const lengthMs = seconds * 1000
    const start = Math.floor(now / lengthMs) * lengthMs
    const known = counts[index]
    return known !== undefined && known.lengthMs === lengthMs && known.start >= start
      ? known
      : { lengthMs, start, count: 0 }
  })
  const admitted = current.every(({ count }, index) => count < (limits[index]?.limit ?? 0))
  const after = current.map((window) => (admitted ? { ...window, count: window.count + 1 } : window))
  if (admitted) counts.splice(0, counts.length, ...after)
  const windows = limits.map((window, index) => {
    const { start, lengthMs, count } = after[index] ?? { start: now, lengthMs: 0, count: 0 }
    return { ...window, remaining: Math.max(0, window.limit - count), resetAfterMs: start + lengthMs - now }
  })
  return { admitted, windows }
}

/** Whether nothing is left to remember of these counts. */
export function haveEnded(counts: readonly WindowCount[], now: number): boolean {
  return counts.every(({ start, lengthMs }) => start + lengthMs <= now)
}
