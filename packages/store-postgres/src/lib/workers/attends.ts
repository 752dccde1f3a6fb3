import { SILENCE_MS } from '@callboard/core/store'

/**
 * How often a worker attends that holds a lock and need not look at others by itself, in milliseconds. The lock shows
 * that it is alive.
 */
export const LOCKED_BEAT_MS = 5_000

/**
 * SQL that tests whether a worker lives, as far as its row and its lock tell: it wrote the row within `SILENCE_MS`, or
 * within three beats and still holds its lock. A worker that is stalled for longer than that counts as gone, although
 * nobody takes over from it while it holds the lock.
 */
export function attends(worker: string, now: string): string {
  return `(${worker}.beat_at > ${now} - interval '${SILENCE_MS} ms'
      or ${worker}.beat_at > ${now} - interval '${3 * LOCKED_BEAT_MS} ms'
        and pg_try_advisory_xact_lock_shared(${worker}.session) is false)`
}
