import type { RateLimiter } from '@callboard/core'
import type { MemoryStoreOptions } from './memory-store.ts'
import { haveEnded, takeFromWindows, type WindowCount } from './rate-windows.ts'

/** The number of keys at which ended counts are first purged. */
const FIRST_PURGE = 1000

/** Creates the rate limiter alone, for one process. It keeps a key only while one of its windows is open. */
export function createMemoryRateLimiter({ now = Date.now }: MemoryStoreOptions = {}): RateLimiter {
  const counts = new Map<string, WindowCount[]>()
  let purgeAt = FIRST_PURGE
  return {
    async take(keyId, limits) {
      const time = now()
      const windows = counts.get(keyId) ?? []
      if (windows.length === 0) counts.set(keyId, windows)
      const decision = takeFromWindows(windows, limits, time)
      if (counts.size >= purgeAt) {
        for (const [key, ended] of counts) if (haveEnded(ended, time)) counts.delete(key)
        // Doubling keeps the cost of purging constant per key seen.
        purgeAt = Math.max(FIRST_PURGE, counts.size * 2)
      }
      return decision
    },
  }
}
