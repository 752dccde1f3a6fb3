/**
 * SQL that a lane is the one of a row, at an epoch that the row knows: the same, or one that it had before and may have left since.
 * Looked up without an epoch, all versions of the lane are read that are gone and not vacuumed yet: a thousand where a transaction of the
 * platform has held vacuum back for 45 s.
 */
export function laneFrom(lane: string, row: string, epoch: string): string {
  return `${lane}.account_id = ${row}.account_id and ${lane}.mode = ${row}.mode and ${lane}.subscription_id = ${row}.subscription_id and ${lane}.epoch ${epoch}`
}
