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
  /** By account, then by key: joining both ids into one key of a map would halve the rate. */
  const accounts = new Map<string, Map<string, WindowCount[]>>()
  let size = 0
  let purgeAt = FIRST_PURGE
  const purge = (time: number): void => {
    for (const [accountId, keys] of accounts) {
      for (const [keyId, windows] of keys) if (haveEnded(windows, time) && keys.delete(keyId)) size--
      if (keys.size === 0) accounts.delete(accountId)
    }
  }
  return {
    async takeRequest({ accountId, keyId }, limits) {
      const time = now()
      const keys = accounts.get(accountId) ?? new Map<string, WindowCount[]>()
      if (keys.size === 0) accounts.set(accountId, keys)
      const known = keys.get(keyId)
      const windows = known ?? []
      if (known === undefined) {
        keys.set(keyId, windows)
        size++
      }
      const decision = takeFromWindows(windows, limits, time)
      if (size >= purgeAt) {
        purge(time)
        // A purge looks at every key, so the next one waits until the number of keys has doubled. The average cost for
        // each new key therefore stays constant.
        purgeAt = Math.max(FIRST_PURGE, size * 2)
      }
      return decision
    },
  }
}
