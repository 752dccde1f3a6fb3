/** Clocks may differ by this many milliseconds. */
const TOLERATED_MS = 1_000

/** The time by which a worker signs: its own, unless that differs from the store's. */
export interface StoreClock {
  /** Compares this process's clock with the store's, which was read between `before` and `after`. */
  compare(store: Date, before: number, after: number): void
  /** Milliseconds since the epoch. */
  now(): number
  /** How far the store's clock is ahead of this process's, in milliseconds; 0 if they agree to within a second. */
  offMs(): number
}

/**
 * @param now the time of this process, in milliseconds since the epoch.
 * @param onOff called when the clocks agreed before, and now differ by `offMs`.
 */
export function createStoreClock(now: () => number, onOff: (offMs: number) => void): StoreClock {
  let offMs = 0
  return {
    compare(store, before, after) {
      const time = store.getTime()
      const apart = time > after ? time - after : time < before ? time - before : 0
      const found = Math.abs(apart) > TOLERATED_MS ? Math.round(apart) : 0
      if (offMs === 0 && found !== 0) onOff(found)
      offMs = found
    },
    now: () => now() + offMs,
    offMs: () => offMs,
  }
}
