import { SILENCE_MS } from '@callboard/core/store'

/** SQL that tests whether a row of `workers` was written within `SILENCE_MS` before `now`. */
export function attends(worker: string, now: string): string {
  return `${worker}.beat_at > ${now} - interval '${SILENCE_MS} ms'`
}
