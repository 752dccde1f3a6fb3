/**
 * A transaction may take this long, in milliseconds, from reading the time at which it wakes a lane to its commit. Each second of it costs
 * a look thousands of versions that are gone: with 1,000 it read 11,200 blocks where 1,600 sufficed.
 */
const LATE_MS = 250
/**
 * Looks for all lanes, however long ago they were due, may take this part of the time; whatever the mark missed is as late as the pause
 * between them. A pause of five seconds whatever they take let a drain of 16,000 events stand still again and again, behind lanes that a
 * pass of the outbox had kept locked: 900 to 1,500 deliveries/s where 9,100 are possible.
 */
const WHOLE_PART = 1 / 40
const SHORTEST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

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
 * about to write its next version. Where that takes longer than `LATE_MS`, such a one is missed until all are looked for.
 */
export function createWakeMark(elapsed: () => number): WakeMark {
  let due = 0
  let leased = 0
  let lateMs = LATE_MS
  let whole = false
  let wholeAt = Number.NEGATIVE_INFINITY
  let pauseMs = SHORTEST_PAUSE_MS
  return {
    look() {
      whole = elapsed() - wholeAt >= pauseMs
      if (whole) wholeAt = elapsed()
      const look = whole ? { dueFrom: 0, leasedFrom: 0 } : { dueFrom: due - lateMs, leasedFrom: leased - LATE_MS }
      lateMs = LATE_MS
      return look
    },
    found(dueAt, lookedAt) {
      if (whole) pauseMs = Math.min(Math.max((elapsed() - wholeAt) / WHOLE_PART, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS)
      due = lookedAt ?? Math.max(due, ...dueAt)
      leased = lookedAt ?? leased
    },
    woke(durationMs) {
      lateMs = Math.max(lateMs, LATE_MS + durationMs)
    },
  }
}
