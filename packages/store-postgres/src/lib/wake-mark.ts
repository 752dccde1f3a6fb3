/**
 * A transaction may take this long, in milliseconds, from reading the time at which it wakes a lane to its commit. Each second of it costs
 * a look thousands of versions that are gone: with 1,000 it read 11,200 blocks where 1,600 sufficed.
 */
const LATE_MS = 250
/** How often to look for all, however long ago; whatever the marks missed is as late as this. */
const WHOLE_MS = 5_000

export interface WakeMark {
  /** From when on to look, in milliseconds since 1970 by the store's clock: for lanes that are due, and for leases that have run out. */
  look(): { readonly dueFrom: number; readonly leasedFrom: number }
  /** Since when each of the lanes that were found had been due, and when they were looked for, if none was left. */
  found(dueAt: readonly number[], lookedAt: number | undefined): void
  /** Lanes were woken by something that took this long: what it woke at its beginning is seen only now. */
  woke(durationMs: number): void
}

/**
 * Where to look for lanes. Each lease and each settle leaves a version of the lane behind that was due once, or leased; while
 * a long transaction keeps those from being vacuumed, a look from the start reads all of them (28 ms after 45 s at 5,000 deliveries/s).
 * Lanes that waited longest are found first, so what was due before the last one found has been leased, or is locked by somebody who is
 * about to write its next version. Where lanes have waited longer than that takes, such a one can be missed, until all are looked for.
 */
export function createWakeMark(elapsed: () => number): WakeMark {
  let due = 0
  let leased = 0
  let lateMs = LATE_MS
  let wholeAt = Number.NEGATIVE_INFINITY
  return {
    look() {
      const whole = elapsed() - wholeAt >= WHOLE_MS
      if (whole) wholeAt = elapsed()
      const look = whole ? { dueFrom: 0, leasedFrom: 0 } : { dueFrom: due - lateMs, leasedFrom: leased - LATE_MS }
      lateMs = LATE_MS
      return look
    },
    found(dueAt, lookedAt) {
      due = lookedAt ?? Math.max(due, ...dueAt)
      leased = lookedAt ?? leased
    },
    woke(durationMs) {
      lateMs = Math.max(lateMs, LATE_MS + durationMs)
    },
  }
}
