import type { Runner } from './database.ts'
import { markPrimary, type PrimaryMark } from './statements/replica.ts'

export interface PrimaryMarks {
  /** Takes a mark now. */
  take(): Promise<PrimaryMark>
  /**
   * Returns the oldest mark that is at most `maxLagMs` old. Takes one if there is none; undefined if that took too long.
   */
  recent(): Promise<PrimaryMark | undefined>
}

interface TimedMark {
  readonly mark: PrimaryMark
  /** A moment before the mark was taken, in monotonic milliseconds. */
  readonly at: number
}

/** How many marks are taken in `maxLagMs` while there is traffic. */
const MARKS = 4

/**
 * Remembers where the primary stood within the last `maxLagMs`. A replica that has replayed one of these positions is
 * at most `maxLagMs` behind. Only this process's monotonic clock measures that time, so clocks need not agree.
 *
 * @param elapsed the time now, in monotonic milliseconds.
 */
export function createPrimaryMarks(primary: Runner, maxLagMs: number, elapsed: () => number): PrimaryMarks {
  let marks: readonly TimedMark[] = []
  let taking: Promise<TimedMark> | undefined

  const takeOne = async (): Promise<TimedMark> => {
    const at = elapsed()
    const [mark] = await primary.run(markPrimary, {})
    if (mark === undefined) throw new Error('the database returned no row')
    // Positions of another server say nothing about this one.
    marks = [...marks.filter(({ mark: earlier }) => earlier.started === mark.started), { mark, at }]
    return { mark, at }
  }
  const takeTogether = (): Promise<TimedMark> => {
    taking ??= takeOne().finally(() => {
      taking = undefined
    })
    return taking
  }
  const isRecent = ({ at }: TimedMark): boolean => elapsed() - at <= maxLagMs

  return {
    take: async () => (await takeOne()).mark,
    async recent() {
      marks = marks.filter(isRecent)
      const [oldest] = marks
      const newest = marks.at(-1)
      if (oldest === undefined || newest === undefined) {
        const taken = await takeTogether()
        return isRecent(taken) ? taken.mark : undefined
      }
      // Nobody waits for this mark, and the next read takes another one if it fails.
      if (elapsed() - newest.at >= maxLagMs / MARKS) takeTogether().catch(() => undefined)
      return oldest.mark
    },
  }
}
