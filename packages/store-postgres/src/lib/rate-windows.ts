import type { RateLimits } from '@callboard/core'
import type { RateWindow, RateWindowState } from '@callboard/core/store'

/** The state of a key's windows at `now`, in seconds, from their starts and counts (start, count, start, count, …). */
export function windowsAt(limits: RateLimits, now: number, counts: readonly number[]): RateWindowState[] {
  return limits.map((window, index) => standing(window, now, counts.slice(2 * index)))
}

/**
 * The state of the windows for a refused request, in which at least one window has nothing remaining. The counts that
 * were read may not show that: they may date from before the request waited for the lock, or belong to a window that
 * has begun since.
 */
export function refused(windows: readonly RateWindowState[]): readonly RateWindowState[] {
  if (windows.some(({ remaining }) => remaining === 0)) return windows
  const closest = Math.min(...windows.map(({ remaining }) => remaining))
  return windows.map((window) => (window.remaining === closest ? { ...window, remaining: 0 } : window))
}

/**
 * The state of a window with this start and count. If the start is before the current window's, nothing has been used.
 */
function standing(
  { seconds, limit }: RateWindow,
  now: number,
  [start = 0, used = 0]: readonly number[],
): RateWindowState {
  const current = Math.floor(now / seconds) * seconds
  return {
    seconds,
    limit,
    remaining: start >= current ? Math.max(0, limit - used) : limit,
    resetAfterMs: Math.ceil((Math.max(start, current) + seconds - now) * 1000),
  }
}
