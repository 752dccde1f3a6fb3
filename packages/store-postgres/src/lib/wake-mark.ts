/**
 * A transaction may take this long, in milliseconds, from reading the time at which it wakes a lane to its commit. Each second of it costs
 * a look thousands of versions that are gone: with 1,000 it read 11,200 blocks where 1,600 sufficed.
 */
const LATE_MS = 250
/** How often to look for all lanes that are due, however long ago; whatever the mark missed is as late as this. */
const WHOLE_MS = 10_000

export interface WakeMark {
  /** Lanes that became due later are to be looked for, in milliseconds since 1970 by the store's clock. */
  from(): number
  /** What was found, oldest first: since when each lane had been due. */
  found(dueAt: readonly number[]): void
  /** Lanes were woken by something that took this long: what it woke at its beginning is seen only now. */
  woke(durationMs: number): void
}

/**
 * Where to look for lanes that are due. Each lease and each settle leaves a version of the lane behind that was due once; while
 * a long transaction keeps those from being vacuumed, a look from the start reads all of them (28 ms after 45 s at 5,000 deliveries/s).
 * Those that waited longest are found first, so what was due before the oldest one found has been leased, or is about to be.
 */
export function createWakeMark(elapsed: () => number): WakeMark {
  let mark = 0
  let lateMs = LATE_MS
  let wholeAt = Number.NEGATIVE_INFINITY
  return {
    from() {
      const whole = elapsed() - wholeAt >= WHOLE_MS
      if (whole) wholeAt = elapsed()
      const from = whole ? 0 : mark - lateMs
      lateMs = LATE_MS
      return from
    },
    found(dueAt) {
      if (dueAt.length > 0) mark = Math.min(...dueAt)
    },
    woke(durationMs) {
      lateMs = Math.max(lateMs, LATE_MS + durationMs)
    },
  }
}
