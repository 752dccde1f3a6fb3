import type { DisabledReason } from '@callboard/core'
import type { Statement } from '../sql/statement.ts'
import type { LeaseInput } from './leases.ts'
import { SETTLED_LISTS } from './settle-lanes.ts'

export interface SettleRow {
  /** Number of the lane in the input, from 1. A lane whose lease was lost has no row in the result. */
  n: number
  verdict: DisabledReason | null
  report: 'failing' | 'recovered' | null
  /** When the first attempt after the last success failed, and how many attempts have failed since that success. */
  since: number | null
  attempts: number
}

export interface SettledLane extends LeaseInput {
  readonly settled_through: number
  /** Failures in a row; many of them pause the lane. */
  readonly breaker_failures: number
  readonly succeeded: boolean
  /** How many of the reported attempts failed. */
  readonly failed: number
  readonly slow: boolean
  /** Whether all deliveries of the lease wait for earlier events of their subjects, so that nothing was sent. */
  readonly only_blocked: boolean
  readonly pause_ms: number
  readonly hold_ms: number
  /** The reason to disable the subscription; null to leave it enabled. */
  readonly disable: DisabledReason | null
  /** Whether the worker keeps the lease. */
  readonly keep: boolean
  /** Attempts since the lease began or was last settled, for the lane's hourly counts. */
  readonly now_delivered: number
  readonly now_failed: number
  /** How long these attempts took in total. */
  readonly now_ms: number
}

/** In this and the following types, `lane` is the number of a lane in `lanes`, from 1. */
export interface SettledAttempt {
  readonly lane: number
  readonly id: string
  readonly event_id: string
  readonly number: number
  readonly outcome: string
  readonly status: number | null
  readonly reason: string | null
  readonly duration_ms: number
  readonly response: string | null
}

export interface SettledRetry {
  readonly lane: number
  readonly event_id: string
  readonly attempts: number
  /** Null if the delivery waits for an earlier event of its subject. */
  readonly delay_ms: number | null
  readonly suspect: boolean
  readonly redacted: boolean
}

export interface SettledEnd {
  readonly lane: number
  readonly event_id: string
  readonly delivered: boolean
}

/** The next delivery of this subject becomes due if it no longer has to wait for an earlier event. */
export interface SettledSubject {
  readonly lane: number
  readonly subject: string
}

export interface SettleParameters {
  readonly lanes: readonly SettledLane[]
  readonly attempts: readonly SettledAttempt[]
  readonly retries: readonly SettledRetry[]
  readonly ended: readonly SettledEnd[]
  readonly subjects: readonly SettledSubject[]
  /**
   * A subscription is disabled as `failing` once this many attempts have failed over at least `failingMs` milliseconds,
   * without a success in between.
   */
  readonly failingAttempts: number
  readonly failingMs: number
  /**
   * A subscription is reported as failing after `reportAttempts` failed attempts, or `reportMs` milliseconds after the
   * first of them.
   */
  readonly reportAttempts: number
  readonly reportMs: number
}

export const settle: Statement<SettleRow, SettleParameters> = {
  name: 'settle',
  text: `
select n, verdict, report, since, attempts from callboard.settle_lanes(
  ${SETTLED_LISTS},
  :failingAttempts::int, :failingMs::float8, :reportAttempts::int, :reportMs::float8
)`,
}
