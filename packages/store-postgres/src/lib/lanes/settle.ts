import type { DisabledReason } from '@callboard/core'
import type { Statement } from '../sql/statement.ts'
import {
  SETTLED_LISTS,
  type SettledAttempt,
  type SettledEnd,
  type SettledLane,
  type SettledRetry,
  type SettledSubject,
} from './settled-lists.ts'

export interface SettleRow {
  /**
   * Number of the lane in the input, from 1. A lane whose lease was lost has no row in the result. Row 0 has only
   * `due_in_ms`.
   */
  n: number
  disable_reason: DisabledReason | null
  report: 'failing' | 'recovered' | null
  /** When the first attempt after the last success failed, and how many attempts have failed since that success. */
  since: number | null
  attempts: number
  /** As `SettleResult.dueInMs`. */
  due_in_ms: number | null
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
select n, disable_reason, report, since, attempts, due_in_ms from callboard.settle_lanes(
  ${SETTLED_LISTS.map(({ passed }) => passed).join(',\n  ')},
  :failingAttempts::int, :failingMs::float8, :reportAttempts::int, :reportMs::float8
)`,
}
