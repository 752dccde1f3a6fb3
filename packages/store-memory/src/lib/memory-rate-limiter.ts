import type { RateLimiter } from '@callboard/core'
import type { MemoryStoreOptions } from './memory-store.ts'
import { haveEnded, takeFromWindows, type WindowCount } from './rate-windows.ts'

/** Keys that are remembered before the first look for those that can be forgotten. */
const FIRST_PURGE = 1000

/** The rate limiter by itself, for one process. It remembers keys only while one of their windows is open. */
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
