/** SQL that tests whether a snapshot shows any of the transactions `xids` as ended. */
export function anyEnded(xids: string, snapshot: string): string {
  return `exists (select from unnest(${xids}) p where pg_visible_in_snapshot(p, ${snapshot}))`
}

/** SQL for the transactions among `xids` that a snapshot shows as not ended. */
export function notEnded(xids: string, snapshot: string): string {
  return `array(select p from unnest(${xids}) p where not pg_visible_in_snapshot(p, ${snapshot}))`
}

/**
 * A pass sets no mark if at least this many transaction ids lie between its snapshot and its own id. A transaction with
 * thousands of savepoints may use that many.
 */
const MOST_IDS = 1000

/**
 * SQL for the transactions that may still add events whose number is below one that a snapshot shows: those that the
 * snapshot lists as running, and those that began between the snapshot and the pass. A publisher's transaction inserts
 * an event before the event is numbered, so the transaction already has an id, which is lower than the pass's.
 * Savepoints change nothing, because the transaction's own id is in the same range. Nor does a rollback, which leaves
 * nothing behind.
 *
 * @param next the snapshot's xmax as a bigint, the first id it does not know.
 * @param own the id of the pass, as a bigint.
 */
export function stillRunning(snapshot: string, next: string, own: string): string {
  return `array(
    select pg_snapshot_xip(${snapshot})
    union all select x::text::xid8 from generate_series(${next}, least(${own}, ${next} + ${MOST_IDS}) - 1) x
  )`
}

/** SQL that tests whether {@link stillRunning} lists all such transactions. */
export function allListed(next: string, own: string): string {
  return `${own} - ${next} < ${MOST_IDS}`
}
