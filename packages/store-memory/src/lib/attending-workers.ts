import { readWorkerReport, SILENCE_MS, type WorkSurvey } from '@callboard/core/store'
import type { MemoryState } from './memory-state.ts'

/** The workers that attended within the last `SILENCE_MS`, in the order in which they first attended. */
export function attendingWorkers({ workers, now }: MemoryState): WorkSurvey['workers'][number][] {
  return [...workers.values()]
    .filter(({ attendedAt }) => attendedAt > now() - SILENCE_MS)
    .sort((a, b) => a.since - b.since)
    .map(({ name, since, attendedAt, details }) => ({
      name,
      since: new Date(since),
      lastAt: new Date(attendedAt),
      report: readWorkerReport(details),
    }))
}

/**
 * The workers that stopped attending without a call of `leave`, most recently seen first. Empty while any worker
 * attends.
 */
export function lostWorkers(state: MemoryState): WorkSurvey['lost'][number][] {
  if (attendingWorkers(state).length > 0) return []
  return [...state.workers.values()]
    .sort((a, b) => b.attendedAt - a.attendedAt)
    .map(({ name, attendedAt }) => ({ name, lastAt: new Date(attendedAt) }))
}
