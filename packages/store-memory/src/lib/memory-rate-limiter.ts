import type { RateLimiter } from '@callboard/core'
import type { MemoryStoreOptions } from './memory-store.ts'
import { haveEnded, takeFromWindows, type WindowCount } from './rate-windows.ts'

/** Expired counts are first purged when there are this many keys. */
const FIRST_PURGE = 1000

/**
 * Creates a rate limiter for one process, without a store. Drops a key's counts at some point after all of the key's
 * windows have ended.
 */
export function createMemoryRateLimiter({ now = Date.now }: MemoryStoreOptions = {}): RateLimiter {
  /** By account and key. */
  const counts = new Map<string, WindowCount[]>()
  let purgeAt = FIRST_PURGE
  return {
    async take({ accountId, keyId }, limits) {
      const time = now()
      const owner = `${keyId} ${accountId}`
      const windows = counts.get(owner) ?? []
      if (windows.length === 0) counts.set(owner, windows)
      const decision = takeFromWindows(windows, limits, time)
      if (counts.size >= purgeAt) {
        for (const [key, ended] of counts) if (haveEnded(ended, time)) counts.delete(key)
        // A purge looks at every key, so the next one waits until the number of keys has doubled. The average cost for
        // each new key therefore stays constant.
        purgeAt = Math.max(FIRST_PURGE, counts.size * 2)
      }
      return decision
    },
  }
}
