/** Greater than every position in the feed. */
const END = '9223372036854775807'

/** SQL for the columns that {@link shareOf} reads. */
export function shareColumns(row: string): string {
  return `${row}.event_types, ${row}.types_after, ${row}.previous_types, ${row}.previous_after, ${row}.earlier_types`
}

/**
 * SQL for a subscription's share of the feed. Each row has one of its current, previous or earlier event types, and the
 * range (`after`, `through`] of positions to which the type applies. `row` has {@link shareColumns}.
 */
export function shareOf(row: string): string {
  return `(
    select t.type, x.after, x.through
    from (values
      (${row}.event_types, ${row}.types_after, ${END}),
      (${row}.previous_types, ${row}.previous_after, ${row}.types_after),
      (${row}.earlier_types, 0, ${row}.previous_after)
    ) x(types, after, through)
    cross join unnest(x.types) t(type)
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
