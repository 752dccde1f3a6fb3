import type { DisabledReason } from '../subscriptions/who-may-enable.ts'
import type { WorkerReport } from '../workers/worker-report.ts'

/** The result of one check, for the platform's operators. Contains no password and no account data. */
export interface Finding {
  /** The name of the check, such as `migrations`. */
  readonly check: string
  /** `skipped` when the check was not possible; the message says why. */
  readonly verdict: 'ok' | 'warning' | 'problem' | 'skipped'
  readonly message: string
  /** What to do; undefined when nothing needs doing. */
  readonly advice?: string | undefined
}

/** Lanes that a worker could lease now, but that no worker has leased yet. */
export interface WaitingLanes {
  readonly lanes: number
  /** How long the longest-waiting lane has been due, in milliseconds; 0 when no lane is waiting. */
  readonly longestMs: number
}

/**
 * A worker that attended within `SILENCE_MS`, or within fifteen seconds if its store lets it attend less often
 * (`Takeover.againInMs`).
 */
export interface AttendingWorker {
  readonly name: string
  /** When it attended for the first time. */
  readonly since: Date
  /** When it last attended, accurate to about a second. A worker that rests attends every five seconds. */
  readonly lastAt: Date
  readonly report: WorkerReport
}

/**
 * A worker that no longer counts as an {@link AttendingWorker}, has not left since, and from which no other worker has
 * taken over.
 */
export interface LostWorker {
  readonly name: string
  /** When it last attended, accurate to about a second. */
  readonly lastAt: Date
}

/** The state of the delivery work. */
export interface WorkSurvey {
  /** The store's clock. */
  readonly clock: Date
  /** Lanes whose lease has expired. */
  readonly lapsed: WaitingLanes
  /** Lanes with work due. */
  readonly due: WaitingLanes
  /** Lanes that are paused now, as in `DeliveryGauges`. */
  readonly pausedLanes: number
  /** In order of `since`. */
  readonly workers: readonly AttendingWorker[]
  /**
   * Sorted by `lastAt`, latest first. Empty while any worker attends, because an attending worker takes over from all
   * lost workers.
   */
  readonly lost: readonly LostWorker[]
  /**
   * Subscriptions that were disabled within the last `latelyMs` (see `Store.survey`) and are still disabled, by reason.
   */
  readonly disabled: readonly { readonly reason: DisabledReason; readonly subscriptions: number }[]
}

export interface StoreSurvey {
  /** Findings about the store itself; each kind of store has its own checks. */
  readonly findings: readonly Finding[]
  /** Undefined when the state of the work cannot be read; a finding says why. */
  readonly work: WorkSurvey | undefined
}
