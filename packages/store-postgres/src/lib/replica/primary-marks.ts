import type { Runner } from '../database/database.ts'
import { markPrimary, type PrimaryMark } from './replica-statements.ts'

export interface PrimaryMarks {
  /** Takes a mark now. */
  take(): Promise<PrimaryMark>
  /**
   * Returns the oldest mark that is at most `maxLagMs` old; undefined if there is none, or if it was taken only just
   * now. Also takes a mark in the background if the newest one is older than a quarter of `maxLagMs`.
   */
  oldest(): PrimaryMark | undefined
}

interface TimedMark {
  readonly mark: PrimaryMark
  /** A time just before the mark was taken, in monotonic milliseconds. */
  readonly at: number
}

/** How many marks are taken in `maxLagMs`. */
const MARKS = 4
/** Replicas are usually a few milliseconds behind, so a mark younger than this would say little about their lag. */
const SETTLED_MS = 100

/**
 * Remembers where the primary stood within the last `maxLagMs`. A replica that has replayed one of these positions is
 * at most `maxLagMs` behind. This process's monotonic clock alone measures that time, so no two clocks need to agree.
 *
 * @param elapsed the time now, in monotonic milliseconds.
 */
export function createPrimaryMarks(primary: Runner, maxLagMs: number, elapsed: () => number): PrimaryMarks {
  const settledMs = Math.min(SETTLED_MS, maxLagMs / MARKS)
  let marks: readonly TimedMark[] = []
  let isTaking = false

  const take = async (): Promise<PrimaryMark> => {
    const at = elapsed()
    const [mark] = await primary.run(markPrimary, {})
    if (mark === undefined) throw new Error('the database returned no row')
    // Drops the marks of another server, or of an earlier start of this one, because their positions cannot be
    // compared.
    const ofServer = marks.filter((earlier) => earlier.mark.started === mark.started)
    marks = [...ofServer, { mark, at }].toSorted((one, other) => one.at - other.at)
    return mark
  }

  return {
    take,
    oldest() {
      const now = elapsed()
      marks = marks.filter(({ at }) => now - at <= maxLagMs)
      const newest = marks.at(-1)
      if (!isTaking && (newest === undefined || now - newest.at >= maxLagMs / MARKS)) {
        isTaking = true
        // A failure needs no report, because the callers' own statements on the primary then fail too.
        take()
          .catch(() => undefined)
          .finally(() => {
            isTaking = false
          })
      }
      const [oldest] = marks
      return oldest !== undefined && now - oldest.at >= settledMs ? oldest.mark : undefined
    },
  }
}
