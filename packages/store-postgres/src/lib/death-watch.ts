import { SILENCE_MS } from '@callboard/core/store'
import type { MissingWorker } from './statements/workers.ts'

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
 * - A worker that holds no lock is missing only after the database has measured a silence of `SILENCE_MS`. So it counts
 *   as dead at once.
 * - A free lock may belong to a living worker that has just lost its connection and has not reported the loss yet. Such
 *   a worker gets a second look.
 * - After a restart of the server, the rows of all workers are old, because no worker was able to attend. The rows may
 *   also be old if a call to the database failed a moment ago. In both cases, only the time for which this process has
 *   watched a row counts.
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
