/** SQL that tests whether at least one of the transactions `xids` has ended, according to a snapshot. */
export function anyEnded(xids: string, snapshot: string): string {
  return `exists (select from unnest(${xids}) p where pg_visible_in_snapshot(p, ${snapshot}))`
}

/** SQL for those of the transactions `xids` that have not ended, according to a snapshot. */
export function notEnded(xids: string, snapshot: string): string {
  return `array(select p from unnest(${xids}) p where not pg_visible_in_snapshot(p, ${snapshot}))`
}

/**
 * If at least this many transaction ids were given out between a pass's snapshot and its own id, the pass sets no mark,
 * because the mark would have to list them all. One transaction with thousands of savepoints can use that many.
 */
const MOST_IDS = 1000

/**
 * SQL for the transactions that may still add events with lower numbers than an event that the snapshot shows: those
 * that the snapshot lists as running, and those that began after it and before the pass got its own id. No later
 * transaction can, because a publisher's transaction gets its id before its event gets a number.
 *
 * @param next the snapshot's xmax as a bigint: the first id that the snapshot does not know.
 * @param own the id of the pass, as a bigint.
 */
export function stillRunning(snapshot: string, next: string, own: string): string {
  return `array(
    select pg_snapshot_xip(${snapshot})
    union all select x::text::xid8 from generate_series(${next}, least(${own}, ${next} + ${MOST_IDS}) - 1) x
  )`
}

/**
 * SQL that tests whether the list from {@link stillRunning} is complete. The list has at most `MOST_IDS` transactions
 * that began after the snapshot.
 */
export function allListed(next: string, own: string): string {
  return `${own} - ${next} < ${MOST_IDS}`
}
