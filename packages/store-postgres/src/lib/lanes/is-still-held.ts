/**
 * SQL that tests whether a worker still holds a lane: its lease began before the lane was disabled, and has not
 * expired.
 */
export function isStillHeld(lane: string): string {
  return `coalesce(${lane}.leased_until > callboard.clock(), false)`
}
