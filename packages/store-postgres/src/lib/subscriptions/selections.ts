/** Greater than every position in the feed. */
const END = '9223372036854775807'

/** SQL for the columns that {@link selectionsOf} reads. */
export function selectionColumns(row: string): string {
  return `${row}.event_types, ${row}.types_after, ${row}.previous_types, ${row}.previous_after, ${row}.earlier_types`
}

/**
 * SQL for a subscription's selections. Each row has one of its current, previous or earlier event types, and the
 * range (`after`, `through`] of positions to which the type applies. `row` has {@link selectionColumns}.
 */
export function selectionsOf(row: string): string {
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
 * SQL that tests whether a subscription selects an event. An event without a position counts as if it
 * were at the feed's end.
 */
export function isSelected(row: string, type: string, position: string): string {
  return `exists (
    select from ${selectionsOf(row)} t
    where t.type = ${type} and coalesce(${position}, ${END}) > t.after and coalesce(${position}, ${END}) <= t.through
  )`
}
