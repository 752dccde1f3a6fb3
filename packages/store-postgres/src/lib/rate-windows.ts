import type { RateLimits } from '@callboard/core'
import type { RateWindow, RateWindowState } from '@callboard/core/store'

/** How the windows of a key stand that have these starts and counts (start, count, start, count, …), for a request at `now`, in seconds. */
export function windowsAt(limits: RateLimits, now: number, counts: readonly number[]): RateWindowState[] {
  return limits.map((window, index) => standing(window, now, counts.slice(2 * index)))
}

/**
 * The same for a request that was refused, one of whose windows shows why: counts that are read once it has been refused may be of
 * before it queued on the lock, or of a window that has begun since.
 */
export function refused(windows: readonly RateWindowState[]): readonly RateWindowState[] {
  if (windows.some(({ remaining }) => remaining === 0)) return windows
  const closest = Math.min(...windows.map(({ remaining }) => remaining))
  return windows.map((window) => (window.remaining === closest ? { ...window, remaining: 0 } : window))
}

/** How a window stands that has counted so many since its start; one that started before the current one is over. */
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
