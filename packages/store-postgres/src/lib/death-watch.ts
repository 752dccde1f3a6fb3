import { SILENCE_MS } from '@callboard/core/store'
import type { MissingWorker } from './statements/workers.ts'

/** A worker whose lock is free is dead if nothing has changed this long after it was first seen so. */
const SECOND_LOOK_MS = 500

export interface DeathWatch {
  /** Returns those of the missing workers that have died, given all that are missing now. */
  dead(missing: readonly MissingWorker[]): readonly MissingWorker[]
  /** Notes that the database could not be asked. */
  failed(): void
}

/**
 * Decides when a missing worker is dead.
 *
 * - The database itself measures the silence of a worker without a lock, so such a worker is dead at once.
 * - A lock that is free may be that of a living worker that has lost its connection and is about to say so.
 * - After a restart of the server, no worker has been able to attend, and the rows of all of them are old. The same may
 *   be true if the database could not be asked a moment ago. Only time that this process has watched counts then.
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
