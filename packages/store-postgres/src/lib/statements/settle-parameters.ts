import type { DisabledReason } from '@callboard/core'
import type { LeaseInput } from './lease-rows.ts'
import { rowsOf } from './rows-of.ts'

export interface SettledLane extends LeaseInput {
  readonly cursor: number
  /** Failures in a row; many of them pause the lane. */
  readonly failures: number
  readonly succeeded: boolean
  /** How many of the reported attempts failed. */
  readonly failed: number
  readonly slow: boolean
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

export interface SettleParameters {
  readonly lanes: readonly SettledLane[]
  readonly attempts: readonly SettledAttempt[]
  readonly retries: readonly SettledRetry[]
  readonly ended: readonly SettledEnd[]
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

export const LANES: string = rowsOf<SettledLane>('lanes', {
  account_id: 'text',
  mode: 'text',
  subscription_id: 'uuid',
  epoch: 'bigint',
  cursor: 'bigint',
  failures: 'int',
  succeeded: 'boolean',
  failed: 'int',
  slow: 'boolean',
  pause_ms: 'float8',
  hold_ms: 'float8',
  disable: 'text',
  keep: 'boolean',
  now_delivered: 'int',
  now_failed: 'int',
  now_ms: 'bigint',
})

export const ATTEMPTS: string = rowsOf<SettledAttempt>('attempts', {
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

export const RETRIES: string = rowsOf<SettledRetry>('retries', {
  lane: 'int',
  event_id: 'uuid',
  attempts: 'int',
  delay_ms: 'float8',
  suspect: 'boolean',
  redacted: 'boolean',
})

export const ENDED: string = rowsOf<SettledEnd>('ended', { lane: 'int', event_id: 'uuid', delivered: 'boolean' })
