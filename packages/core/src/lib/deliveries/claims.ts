import { BREAKER_THRESHOLD } from './breaker.ts'

/**
 * If more than this many leases of a lane in a row were never settled, the lane is suspected of crashing its workers. A
 * lease of a suspected lane holds only one delivery, and the attempt is recorded before it is made.
 */
export const TRUSTED_CLAIMS = 2

/**
 * Whether a lane is suspected of crashing workers. `claims` counts the leases since the lane was last settled,
 * including the current lease.
 */
export function isSuspected(claims: number): boolean {
  return claims > TRUSTED_CLAIMS
}

/** How many deliveries a lease of a lane can hold: one while the lane is suspected or its breaker is open. */
export function deliveriesPerLease(
  { claims, failures }: { readonly claims: number; readonly failures: number },
  perLane: number,
): number {
  return isSuspected(claims) || failures >= BREAKER_THRESHOLD ? 1 : perLane
}
