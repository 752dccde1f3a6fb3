/** A transaction may take this long, in milliseconds, from reading the time at which it wakes a lane to its commit. */
const LATE_MS = 1_000
/** How often to look for all lanes that are due, however long ago; whatever the mark missed is as late as this. */
const WHOLE_MS = 10_000

export interface WakeMark {
  /** Lanes that became due later are to be looked for, in milliseconds since 1970 by the store's clock. */
  from(): number
  /** What was found, oldest first: since when each lane had been due. */
  found(dueAt: readonly number[]): void
}

/**
 * Where to look for lanes that are due. Each lease and each settle leaves a version of the lane behind that was due once; while
 * a long transaction keeps those from being vacuumed, a look from the start reads all of them (28 ms after 45 s at 5,000 deliveries/s).
 * Those that waited longest are found first, so what was due before the oldest one found has been leased, or is about to be.
 */
export function createWakeMark(elapsed: () => number): WakeMark {
  let mark = 0
  let wholeAt = Number.NEGATIVE_INFINITY
  return {
    from() {
      if (elapsed() - wholeAt < WHOLE_MS) return mark - LATE_MS
      wholeAt = elapsed()
      return 0
    },
    found(dueAt) {
      if (dueAt.length > 0) mark = Math.min(...dueAt)
    },
  }
}
