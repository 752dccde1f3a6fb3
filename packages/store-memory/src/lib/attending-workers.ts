import { type AttendingWorker, readWorkerReport, SILENCE_MS } from '@callboard/core/store'
import type { MemoryState } from './memory-state.ts'

/** The workers that have attended within `SILENCE_MS`, longest first. */
export function attendingWorkers({ workers, now }: MemoryState): AttendingWorker[] {
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
