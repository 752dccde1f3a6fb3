/**
 * How long a transaction may take, in milliseconds, from reading the time at which it wakes a lane to its commit. The
 * longer this is, the more dead versions a scan reads, thousands for each second: with 1,000, a scan read 11,200 blocks
 * where 1,600 sufficed.
 */
const LATE_MS = 250
/**
 * Full scans, which find lanes however long they have been due, may take this share of the time. A lane that the mark
 * missed waits for the next full scan. With a fixed pause of five seconds, a drain of 16,000 events stalled behind
 * lanes that a pass over the outbox had kept locked: 900 to 1,500 deliveries/s instead of 9,100.
 */
const WHOLE_PART = 1 / 40
const SHORTEST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

export interface WakeMark {
  /** Where the next scans begin, for due lanes and expired leases: milliseconds since 1970 by the store's clock. */
  look(): { readonly dueFrom: number; readonly leasedFrom: number }
  /**
   * Records since when each lane found had been due; `lookedAt` is the time of the scan if it left no due lane behind.
   */
  found(dueAt: readonly number[], lookedAt: number | undefined): void
  /** Records that a pass of this duration woke lanes: lanes that the pass woke at its start are visible only now. */
  woke(durationMs: number): void
}

/**
 * Decides where a scan for lanes begins. Each lease and each settle leaves a dead version of the lane behind. While a
 * long transaction blocks vacuum, a scan from the start reads all of them: 28 ms after 45 s at 5,000 deliveries/s.
 *
 * The lanes that waited longest are found first. So a lane that was due before the last one found has been leased, or
 * is locked by a transaction about to write its next version. If that takes longer than `LATE_MS`, the lane is missed
 * until the next full scan.
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
