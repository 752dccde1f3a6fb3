import type { DisabledReason } from '@callboard/core'
import { type RowArrays, rowArrays } from '../sql/rows-of.ts'
import type { LeaseInput } from './leases.ts'

export interface SettledLane extends LeaseInput {
  readonly settled_through: number
  /** The part of the backfill that is settled: the positions (after, through]; null if the backfill keeps its place. */
  readonly backfill_after: number | null
  readonly backfill_through: number | null
  /** Failures in a row; many of them pause the lane. */
  readonly breaker_failures: number
  readonly succeeded: boolean
  /** How many of the reported attempts failed. */
  readonly failed: number
  readonly slow: boolean
  /** Whether all deliveries of the lease wait for earlier events of their subjects, so that nothing was sent. */
  readonly only_waiting: boolean
  readonly pause_ms: number
  readonly postpone_ms: number
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

const LANES = rowArrays<SettledLane>('lanes', {
  account_id: 'text',
  mode: 'text',
  subscription_id: 'uuid',
  epoch: 'bigint',
  settled_through: 'bigint',
  backfill_after: 'bigint',
  backfill_through: 'bigint',
  breaker_failures: 'int',
  succeeded: 'boolean',
  failed: 'int',
  slow: 'boolean',
  only_waiting: 'boolean',
  pause_ms: 'float8',
  postpone_ms: 'float8',
  disable: 'text',
  keep: 'boolean',
  now_delivered: 'int',
  now_failed: 'int',
  now_ms: 'bigint',
})

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

export const ATTEMPTS: RowArrays = rowArrays<SettledAttempt>('attempts', {
  lane: 'int',
  id: 'uuid',
  event_id: 'uuid',
  number: 'int',
  outcome: 'text',
  status: 'int',
  reason: 'text',
  duration_ms: 'int',
  response: 'text',
})

export interface SettledRetry {
  readonly lane: number
  readonly event_id: string
  readonly attempts: number
  /** Null if the delivery waits for an earlier event of its subject. */
  readonly delay_ms: number | null
  readonly suspect: boolean
  readonly redacted: boolean
  /** Whether no other delivery of its subject waits for it. */
  readonly manual: boolean
}

export const RETRIES: RowArrays = rowArrays<SettledRetry>('retries', {
  lane: 'int',
  event_id: 'uuid',
  attempts: 'int',
  delay_ms: 'float8',
  suspect: 'boolean',
  redacted: 'boolean',
  manual: 'boolean',
})

export interface SettledEnd {
  readonly lane: number
  readonly event_id: string
  readonly delivered: boolean
}

export const ENDED: RowArrays = rowArrays<SettledEnd>('ended', { lane: 'int', event_id: 'uuid', delivered: 'boolean' })

/** The next delivery of this subject becomes due if it no longer has to wait for an earlier event. */
export interface SettledSubject {
  readonly lane: number
  readonly subject: string
}

export const SUBJECTS: RowArrays = rowArrays<SettledSubject>('subjects', { lane: 'int', subject: 'text' })

/** The lists that `settle` passes to the function, in the order of its parameters. */
export const SETTLED_LISTS: readonly RowArrays[] = [LANES, ATTEMPTS, RETRIES, ENDED, SUBJECTS]
