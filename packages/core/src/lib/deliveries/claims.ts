import { BREAKER_THRESHOLD } from './breaker.ts'

/**
 * A lane may be leased this many times in a row without being settled. From the next lease on, it is suspected of
 * crashing its workers: each lease holds only one delivery, and the attempt is recorded before it is made.
 */
export const TRUSTED_CLAIMS = 2

/**
 * Whether a lane is suspected of crashing workers. `claims` counts the leases since the lane was last settled,
 * including the current lease. Leases during which the lane cannot have crashed a worker are not counted: those
 * that ended because their worker stopped properly or the server restarted, and those that sent nothing.
 */
export function isSuspected(claims: number): boolean {
  return claims > TRUSTED_CLAIMS
}

/**
 * How many new deliveries a lease can hold if retries have left room for `left` deliveries. While a backfill runs, new
 * ones leave room for one of its events, if there is room for two.
 */
export function roomForFresh(left: number, backfills: boolean): number {
  return backfills && left > 1 ? left - 1 : left
}

/** How many deliveries a lease of a lane can hold: one while the lane is suspected or its breaker is open. */
export function deliveriesPerLease(
  { claims, breakerFailures }: { readonly claims: number; readonly breakerFailures: number },
  perLane: number,
): number {
  return isSuspected(claims) || breakerFailures >= BREAKER_THRESHOLD ? 1 : perLane
}
