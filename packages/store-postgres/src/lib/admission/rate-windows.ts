import type { RateLimits } from '@callboard/core'
import { MAX_WINDOW_LEAD_MS, type RateWindowState } from '@callboard/core/store'

/**
 * Returns the state of a key's windows at the time `now`, given in seconds. `counts` lists the start and the count of
 * each window, window by window.
 */
export function windowsAt(limits: RateLimits, now: number, counts: readonly number[]): RateWindowState[] {
  return limits.map((window, index) => windowState(window, now, counts.slice(2 * index)))
}

/**
 * Returns the windows to report for a refused request. At least one of them must have nothing remaining, but the counts
 * may not show that: they were read before the request waited for the lock, or a new window has begun meanwhile.
 */
export function refused(windows: readonly RateWindowState[]): readonly RateWindowState[] {
  if (windows.some(({ remaining }) => remaining === 0)) return windows
  const closest = Math.min(...windows.map(({ remaining }) => remaining))
  return windows.map((window) => (window.remaining === closest ? { ...window, remaining: 0 } : window))
}

/**
 * Returns the state of a window with this start and count. If it has ended, or was counted before the clock was set
 * back, nothing has been used in the current window.
 */
function windowState(
  { seconds, limit }: RateLimits[number],
  now: number,
  [start = 0, used = 0]: readonly number[],
): RateWindowState {
  const current = Math.floor(now / seconds) * seconds
  const isCurrent = start >= current && start <= now + MAX_WINDOW_LEAD_MS / 1000
  return {
    seconds,
    limit,
    remaining: isCurrent ? Math.max(0, limit - used) : limit,
    resetAfterMs: Math.ceil(((isCurrent ? start : current) + seconds - now) * 1000),
  }
}
