import { SILENCE_MS } from '@callboard/core/store'

/**
 * How often a worker attends that holds a lock and need not look at others by itself, in milliseconds. The lock shows
 * that it is alive.
 */
export const LOCKED_BEAT_MS = 5_000

/**
 * SQL that tests whether a row of `workers` was written shortly before `now`: within `SILENCE_MS`, or within three
 * beats if the worker holds a lock.
 */
export function attends(worker: string, now: string): string {
  return `${worker}.beat_at > ${now}
      - case when ${worker}.session is null then interval '${SILENCE_MS} ms' else interval '${3 * LOCKED_BEAT_MS} ms' end`
}
