import type { RateDecision, RateLimits } from '@callboard/core'
import type { RateWindowState } from '@callboard/core/store'

/** The requests admitted in one window. */
export interface WindowCount {
  readonly lengthMs: number
  /** When the window began, in milliseconds since the epoch. */
  readonly start: number
  count: number
}

/**
 * Counts one request in all windows of a key, or in none. If the clock moves back, requests still count in the latest
 * window.
 */
export function takeFromWindows(counts: WindowCount[], limits: RateLimits, now: number): RateDecision {
  const current: WindowCount[] = []
  let admitted = true
  for (const { seconds, limit } of limits) {
    const lengthMs = seconds * 1000
    const start = now - (now % lengthMs)
    const known = counts[current.length]
    const window =
      known !== undefined && known.lengthMs === lengthMs && known.start >= start ? known : { lengthMs, start, count: 0 }
    if (window.count >= limit) admitted = false
    current.push(window)
  }
  const windows: RateWindowState[] = []
  for (const [index, window] of current.entries()) {
    if (admitted) {
      window.count++
      counts[index] = window
    }
    const { seconds, limit } = limits[index] ?? { seconds: 0, limit: 0 }
    const { start, lengthMs, count } = window
    windows.push({ seconds, limit, remaining: Math.max(0, limit - count), resetAfterMs: start + lengthMs - now })
  }
  return { admitted, windows }
}

/** Whether all windows of these counts have ended. */
export function haveEnded(counts: readonly WindowCount[], now: number): boolean {
  return counts.every(({ start, lengthMs }) => start + lengthMs <= now)
}
