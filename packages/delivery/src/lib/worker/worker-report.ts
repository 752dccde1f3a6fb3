import { MOST_HELD_BACK, type WorkerDetails, type WorkerReport } from '@callboard/core/store'
import type { PostponedLaneRegister } from '../lanes/postponed-lanes.ts'
import type { Scheduler } from '../scheduling/scheduler.ts'
import type { StoreClock } from '../timing/store-clock.ts'

/**
 * The minimum time between two updates of a report, in milliseconds. Updates are limited because the store writes a row
 * each time the report has changed.
 */
const SAME_FOR_MS = 1_000

/** The report of a worker, as its parts see it now. */
export function reportOf(
  { state, heldBack }: Pick<Scheduler, 'state' | 'heldBack'>,
  postponedLanes: Pick<PostponedLaneRegister, 'list'>,
  clock: Pick<StoreClock, 'offMs'>,
): WorkerReport {
  const { waiting, accounts } = state()
  const postponed = postponedLanes.list()
  // Rounded, because the store writes a row whenever the report changes.
  const clockOffMs = Math.round(clock.offMs() / 1000) * 1000
  return {
    waiting: { lanes: waiting, accounts },
    heldBack: heldBack().slice(0, MOST_HELD_BACK),
    ...(postponed.length > 0 && { postponed }),
    ...(clockOffMs !== 0 && { clockOffMs }),
  }
}

/** Returns a function that returns the worker's details. They are updated at most once a second. */
export function createReports(look: () => WorkerDetails, elapsed: () => number): () => WorkerDetails {
  let report: WorkerDetails | undefined
  let lookedAt = 0
  return () => {
    if (report !== undefined && elapsed() - lookedAt < SAME_FOR_MS) return report
    lookedAt = elapsed()
    report = look()
    return report
  }
}
