import type { Runner } from '../database/database.ts'
import { readWalPosition, type WalPosition } from './replica-statements.ts'

export interface WalPositions {
  /** Reads the current position. */
  read(): Promise<WalPosition>
  /**
   * Returns the oldest position that was read at most `maxLagMs` ago; undefined if there is none, or if it was read
   * only just now. Also reads a position in the background if the newest one is older than a quarter of `maxLagMs`.
   */
  oldest(): WalPosition | undefined
}

interface TimedPosition {
  readonly position: WalPosition
  /** A time just before the position was read, in monotonic milliseconds. */
  readonly at: number
}

/** How many positions are read in `maxLagMs`. */
const READS = 4
/** Replicas are usually a few milliseconds behind, so a position younger than this would say little about their lag. */
const SETTLED_MS = 100

/**
 * Remembers how far the primary's write-ahead log had got within the last `maxLagMs`. A replica that has replayed one
 * of these positions is at most `maxLagMs` behind. This process's monotonic clock alone measures that time, so no two
 * clocks need to agree.
 *
 * @param elapsed the time now, in monotonic milliseconds.
 */
export function createWalPositions(primary: Runner, maxLagMs: number, elapsed: () => number): WalPositions {
  const settledMs = Math.min(SETTLED_MS, maxLagMs / READS)
  let positions: readonly TimedPosition[] = []
  let isReading = false

  const read = async (): Promise<WalPosition> => {
    const at = elapsed()
    const [position] = await primary.run(readWalPosition, {})
    if (position === undefined) throw new Error('the database returned no row')
    // Drops the positions of another server, or of an earlier start of this one, because they cannot be compared.
    const ofServer = positions.filter((earlier) => earlier.position.started === position.started)
    positions = [...ofServer, { position, at }].toSorted((one, other) => one.at - other.at)
    return position
  }

  return {
    read,
    oldest() {
      const now = elapsed()
      positions = positions.filter(({ at }) => now - at <= maxLagMs)
      const newest = positions.at(-1)
      if (!isReading && (newest === undefined || now - newest.at >= maxLagMs / READS)) {
        isReading = true
        // A failure needs no report, because the callers' own statements on the primary then fail too.
        read()
          .catch(() => undefined)
          .finally(() => {
            isReading = false
          })
      }
      const [oldest] = positions
      return oldest !== undefined && now - oldest.at >= settledMs ? oldest.position : undefined
    },
  }
}
