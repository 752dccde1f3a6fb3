import { SILENCE_MS } from '@callboard/core/store'
import type { MissingWorker } from './worker-statements.ts'

/** A worker is dead if its lock is still free, and its row unchanged, this long after the lock was first seen free. */
const SECOND_LOOK_MS = 500

export interface DeathWatch {
  /** Given all workers that are missing now, returns those that have died. */
  dead(missing: readonly MissingWorker[]): readonly MissingWorker[]
  /** Records that a call to the database has failed. */
  failed(): void
}

/**
 * Decides when a missing worker is dead.
 *
 * - A worker whose row names no lock is dead at once. It counts as missing only after a silence of `SILENCE_MS`.
 * - A worker whose lock is free gets a second look. It may have lost its connection and not have reported that yet.
 * - After a restart of the server, or shortly after a failed call to the database, the rows of living workers may be
 *   old. So a worker counts as dead only after this process has watched its row for `SILENCE_MS`.
 *
 * @param elapsed the time now, in monotonic milliseconds.
 */
export function createDeathWatch(elapsed: () => number): DeathWatch {
  let firstSeen = new Map<string, number>()
  let failedAt = Number.NEGATIVE_INFINITY

  const patienceMs = ({ session, restarted }: MissingWorker): number => {
    if (restarted || elapsed() - failedAt < SILENCE_MS) return SILENCE_MS
    return session === null ? 0 : SECOND_LOOK_MS
  }

  return {
    dead(missing) {
      const seen = missing.map((worker) => {
        const key = `${worker.id} ${worker.session} ${worker.beat}`
        return { worker, key, since: firstSeen.get(key) ?? elapsed() }
      })
      firstSeen = new Map(seen.map(({ key, since }) => [key, since]))
      return seen.filter(({ worker, since }) => elapsed() - since >= patienceMs(worker)).map(({ worker }) => worker)
    },
    failed() {
      firstSeen = new Map()
      failedAt = elapsed()
    },
  }
}
