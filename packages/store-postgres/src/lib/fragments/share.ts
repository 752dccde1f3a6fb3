/** Greater than every position in the feed. */
const END = '9223372036854775807'

/** SQL for the columns that {@link shareOf} reads. */
export function shareColumns(row: string): string {
  return `${row}.event_types, ${row}.share_types, ${row}.share_after, ${row}.share_through`
}

/**
 * SQL for a subscription's share of the feed. Each row has an event type and the range (`after`, `through`] of
 * positions in which the subscription receives events of that type. `row` has {@link shareColumns}.
 */
export function shareOf(row: string): string {
  return `(
    select x.type, coalesce(x.after, 0) as after, coalesce(x.through, ${END}) as through
    from unnest(coalesce(${row}.share_types, ${row}.event_types), ${row}.share_after, ${row}.share_through)
      x(type, after, through)
  )`
}

/**
 * SQL that tests whether an event is in a subscription's share of the feed. An event without a position counts as if it
 * were at the feed's end.
 */
export function isInShare(row: string, type: string, position: string): string {
  return `exists (
    select from ${shareOf(row)} t
    where t.type = ${type} and coalesce(${position}, ${END}) > t.after and coalesce(${position}, ${END}) <= t.through
  )`
}
