import { CallboardError } from '@callboard/core'
import { assertWhole } from '@callboard/core/engine'
import { MAX_DEADLINE_MS } from '../http/https-transport.ts'
import { LONGEST_MS, readWorkerOptions, type WorkerOptions, type WorkerSettings } from './worker-options.ts'

export interface RunOptions extends Omit<WorkerOptions, 'deadlineMs' | 'leaseMs' | 'graceMs' | 'soleWorker'> {
  /**
   * How long the call may take, in milliseconds; 5 s to 1 hour. Choose it somewhat shorter than the time limit of the
   * function that calls `runUntilIdle`. The run stops taking work `attemptDeadlineMs` plus 2 s before this deadline.
   */
  readonly deadlineMs: number
  /**
   * Time limit of one attempt, in milliseconds; `startWorker` calls it `deadlineMs`. At most 30 s, and at least 3 s
   * less than the run's `deadlineMs`. By default 15 s or half of (`deadlineMs` minus 2 s), whichever is shorter.
   */
  readonly attemptDeadlineMs?: number | undefined
}

export interface RunSettings {
  readonly worker: WorkerSettings
  /** For how long the run may start new attempts, in milliseconds. */
  readonly workMs: number
  /** Requests in flight are aborted this many milliseconds after the start of the run. */
  readonly sendMs: number
}

/** The time that a run keeps for its last settlements, in milliseconds. */
const SETTLE_MS = 2_000
/**
 * The shortest allowed time for starting new attempts, in milliseconds. The start of the run uses up some of that time.
 */
const LEAST_WORK_MS = 1_000
const SHORTEST_MS = 5_000
const USUAL_ATTEMPT_MS = 15_000

/** Fills in the defaults. Throws `CONFIGURATION_INVALID` for invalid options. */
export function readRunOptions({ deadlineMs, ...options }: RunOptions, eventsKeptMs: number): RunSettings {
  assertWhole({ deadlineMs }, SHORTEST_MS, LONGEST_MS)
  const sendMs = deadlineMs - SETTLE_MS
  const { attemptDeadlineMs = Math.min(USUAL_ATTEMPT_MS, Math.floor(sendMs / 2)) } = options
  assertWhole({ attemptDeadlineMs }, 1, MAX_DEADLINE_MS)
  const workMs = sendMs - attemptDeadlineMs
  if (workMs < LEAST_WORK_MS)
    throw new CallboardError(
      'CONFIGURATION_INVALID',
      `deadlineMs must be at least attemptDeadlineMs plus ${SETTLE_MS + LEAST_WORK_MS}, or nothing could be sent.`,
    )
  return { worker: readWorkerOptions({ ...options, deadlineMs: attemptDeadlineMs }, eventsKeptMs), workMs, sendMs }
}
