import { BREAKER_THRESHOLD } from './breaker.ts'

/**
 * A lane is still trusted after this many leases in a row without a settle. After that it is suspected of crashing its
 * workers: each lease yields one delivery, and the attempt is recorded before it is made.
 */
export const TRUSTED_CLAIMS = 2

/**
 * Whether a lane is suspected of crashing workers. `claims` counts its leases since the last settle, including this
 * one.
 */
export function isSuspected(claims: number): boolean {
  return claims > TRUSTED_CLAIMS
}

/** How many deliveries a lease of a lane may hold: one while the lane is suspected or its breaker is open. */
export function deliveriesPerLease(
  { claims, failures }: { readonly claims: number; readonly failures: number },
  perLane: number,
): number {
  return isSuspected(claims) || failures >= BREAKER_THRESHOLD ? 1 : perLane
}
