import type { DuePlace } from '@callboard/core/store'
import { FIRST_ID } from '../sql/uuid-range.ts'
import type { DueLaneRow } from './due-lanes.ts'

/**
 * Searches find a lane even if the transaction that sets the lane's wake time commits this many milliseconds after it
 * has read the clock for it.
 */
const LATE_MS = 250
/**
 * Nearly all transactions of other processes commit within this many milliseconds after they read the clock, so most
 * searches go back only this far. Each search finds the lanes again that became due in that time and are still waiting:
 * with 500 lanes of one account, searching took a tenth of the CPU time when every search went back `LATE_MS`. Every
 * `LATE_MS`, one search goes back far enough to find the lanes whose commits took longer.
 */
const USUALLY_LATE_MS = 25

export interface WakeMark {
  /** The due time and id after which a search continues. */
  from(after: DuePlace | undefined): { readonly dueAt: string; readonly id: string }
  /**
   * Records that a settle, or a pass over the outbox, took this long. The lanes that it woke at its start became
   * visible only at its end, so the next search goes back further by this time.
   */
  committed(durationMs: number): void
}

/**
 * Decides where a search for due lanes continues, so that it skips the dead row versions that leases and settles leave
 * behind. While a long transaction blocks vacuum, a search from the beginning reads all of them: at 5,000 deliveries/s,
 * this took 28 ms once vacuum had been blocked for 45 s.
 */
export function createWakeMark(): WakeMark {
  let lateMs = USUALLY_LATE_MS
  let wideAt = Number.NEGATIVE_INFINITY
  return {
    from(after) {
      if (after === undefined) return { dueAt: '-infinity', id: FIRST_ID }
      if (after.last !== undefined) return after.last
      // An absolute value, because the clock may be set back.
      const isWide = Math.abs(after.since - wideAt) >= LATE_MS
      if (isWide) wideAt = after.since
      const backMs = isWide ? Math.max(2 * LATE_MS, lateMs) : lateMs
      lateMs = USUALLY_LATE_MS
      const dueAt = new Date(after.since - backMs).toISOString()
      return { dueAt, id: FIRST_ID }
    },
    committed(durationMs) {
      lateMs = Math.max(lateMs, USUALLY_LATE_MS + durationMs)
    },
  }
}

/** How far a search has got with these rows. If there are fewer than `limit`, the search has found all due lanes. */
export function placeAfter(
  rows: readonly DueLaneRow[],
  limit: number,
  after: DuePlace | undefined,
): { readonly place: DuePlace; readonly rest: boolean } {
  const last = rows.at(-1)
  const rest = rows.length >= limit && last !== undefined && last.account_id !== null
  const since = after?.last === undefined ? (rows[0]?.looked_at ?? 0) : after.since
  return { place: { since, last: rest ? { dueAt: last.wake_at, id: last.subscription_id } : undefined }, rest }
}
