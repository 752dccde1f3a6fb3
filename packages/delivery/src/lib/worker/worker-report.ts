import { MOST_HELD_BACK, type WorkerDetails, type WorkerReport } from '@callboard/core/store'
import type { Scheduler } from '../scheduling/scheduler.ts'

/**
 * The minimum time between two updates of a report, in milliseconds. Updates are limited because the store writes a row
 * each time the report has changed.
 */
const SAME_FOR_MS = 1_000

/** The report of a worker, as its scheduler sees it now. */
export function reportOf({ state, heldBack }: Pick<Scheduler, 'state' | 'heldBack'>): WorkerReport {
  const { waiting, accounts } = state()
  return { waiting: { lanes: waiting, accounts }, heldBack: heldBack().slice(0, MOST_HELD_BACK) }
}

/** Returns a function that returns the worker's details. They are updated at most once a second. */
export function createReports(
  scheduler: Pick<Scheduler, 'state' | 'heldBack' | 'limits'>,
  elapsed: () => number,
): () => WorkerDetails {
  let report: WorkerDetails | undefined
  let lookedAt = 0
  return () => {
    if (report !== undefined && elapsed() - lookedAt < SAME_FOR_MS) return report
    lookedAt = elapsed()
    report = { ...reportOf(scheduler), limits: scheduler.limits() }
    return report
  }
}
