/**
 * How long a transaction may take, in milliseconds, from reading the clock to set a lane's wake time until its commit.
 * The longer this time, the more dead versions each scan reads: with 1,000 ms, a scan read 11,200 blocks where 1,600
 * sufficed.
 */
const LATE_MS = 250
/**
 * Full scans may take this share of the time. They start from the beginning, and so find lanes that the mark missed.
 * With a fixed pause of five seconds between full scans, delivering 16,000 events stalled, because sequencing had kept
 * lanes locked for long: 900 to 1,500 deliveries/s instead of 9,100.
 */
const WHOLE_PART = 1 / 40
const SHORTEST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

export interface WakeMark {
  /**
   * Returns the due times after which the next scans begin, for due lanes and for expired leases: milliseconds since
   * 1970 by the store's clock.
   */
  look(): { readonly dueFrom: number; readonly leasedFrom: number }
  /**
   * Records the due times of the lanes that a scan found. `lookedAt` is the time of the scan, if no due lane was left.
   */
  found(dueAt: readonly number[], lookedAt: number | undefined): void
  /**
   * Records that a pass over the outbox took this long. The lanes that it woke at its start become visible only at its
   * end.
   */
  woke(durationMs: number): void
}

/**
 * Decides where a scan for due lanes begins, so that it skips dead row versions. Each lease and each settle leaves a
 * dead version of the lane's row behind. While a long transaction blocks vacuum, a scan from the beginning reads all of
 * them: at 5,000 deliveries/s, such a scan took 28 ms once vacuum had been blocked for 45 s.
 *
 * A scan finds the lanes that have been due longest first. An earlier due time than that of the last lane found
 * therefore belongs to a lane that was leased, or to one locked by a transaction that is about to change it. If that
 * transaction takes longer than `LATE_MS`, the lane is missed until the next full scan.
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
