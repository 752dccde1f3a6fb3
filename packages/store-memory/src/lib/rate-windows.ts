import type { RateDecision, RateLimits } from '@callboard/core'
import { MAX_WINDOW_LEAD_MS, type RateWindowState } from '@callboard/core/store'

/** The requests admitted in one window. */
export interface WindowCount {
  readonly lengthMs: number
  /** When the window began, in milliseconds since the epoch. */
  readonly start: number
  count: number
}

/** Counts one request in all windows of a key, or in none. */
export function takeFromWindows(counts: WindowCount[], limits: RateLimits, now: number): RateDecision {
  const current: WindowCount[] = []
  let admitted = true
  for (const { seconds, limit } of limits) {
    const lengthMs = seconds * 1000
    const start = now - (now % lengthMs)
    const known = counts[current.length]
    const window = known?.lengthMs === lengthMs && isCurrent(known, now) ? known : { lengthMs, start, count: 0 }
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

/** Whether requests still count in none of these windows. */
export function haveEnded(counts: readonly WindowCount[], now: number): boolean {
  return !counts.some((window) => isCurrent(window, now))
}

/** Whether requests count in this window: it has not ended, and was not counted before the clock was set back. */
function isCurrent({ start, lengthMs }: WindowCount, now: number): boolean {
  return start + lengthMs > now && start <= now + MAX_WINDOW_LEAD_MS
}
