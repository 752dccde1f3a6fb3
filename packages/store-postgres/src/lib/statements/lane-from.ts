/**
 * SQL that a lane is the one of a row, at an epoch that the row knows: the same, or one that it had before and may have left since.
 *
 * By the index that begins with the subscription and ends with the epoch. Looked up by its key alone, all versions of the lane are read
 * that are gone and not vacuumed yet, hundreds where a long transaction of the platform holds vacuum back; the account is
 * compared in a way that the primary key cannot be used for.
 */
export function laneFrom(lane: string, row: string, epoch: string): string {
  return `${lane}.subscription_id = ${row}.subscription_id and ${lane}.epoch ${epoch}
    and ${lane}.account_id is not distinct from ${row}.account_id and ${lane}.mode is not distinct from ${row}.mode`
}
