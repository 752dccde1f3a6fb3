import { BREAKER_THRESHOLD } from './breaker.ts'

/**
 * A lane that was leased this often in a row without a settle is still trusted. After that it is suspected of crashing its workers
 * (delivery rule 4): each lease has one delivery, and its attempt is written down before it is made.
 */
export const TRUSTED_CLAIMS = 2

/** Whether a lane is suspected. `claims` counts its leases since the last settle, this one included. */
export function isSuspected(claims: number): boolean {
  return claims > TRUSTED_CLAIMS
}

/** Deliveries that a lane may be leased with: one while it is suspected, or while its breaker is open. */
export function deliveriesPerLease(
  { claims, failures }: { readonly claims: number; readonly failures: number },
  perLane: number,
): number {
  return isSuspected(claims) || failures >= BREAKER_THRESHOLD ? 1 : perLane
}
