import { rowsOf } from '../sql/rows-of.ts'

/** A lease that a worker holds, or believes it holds. `subscription_id` is a UUID. */
export interface LeaseInput {
  readonly account_id: string
  readonly mode: string
  readonly subscription_id: string
  readonly epoch: number
}

/** SQL for the rows of the parameter `leases`. */
export const LEASES: string = rowsOf<LeaseInput>('leases', {
  account_id: 'text',
  mode: 'text',
  subscription_id: 'uuid',
  epoch: 'bigint',
})

/**
 * SQL that raises the epoch of a lane `l`, which ends every lease on it (see `LaneLease.epoch`). Disabling a lane
 * raises the epoch only if no lease is held, because a lease that is held at that moment may still be settled.
 */
export const RAISED_EPOCH: string = 'l.epoch + 1'

/**
 * SQL that tests whether a worker still holds a lane: its lease began before the lane was disabled, and has not
 * expired.
 */
export function isStillHeld(lane: string): string {
  return `coalesce(${lane}.leased_until > callboard.clock(), false)`
}
