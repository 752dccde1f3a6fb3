/** SQL of whether one of these transactions has ended, as a snapshot shows. */
export function anyEnded(xids: string, snapshot: string): string {
  return `exists (select from unnest(${xids}) p where pg_visible_in_snapshot(p, ${snapshot}))`
}

/** SQL of those of these transactions that have not ended. */
export function notEnded(xids: string, snapshot: string): string {
  return `array(select p from unnest(${xids}) p where not pg_visible_in_snapshot(p, ${snapshot}))`
}

/**
 * A pass whose transaction has this many ids beyond its snapshot, as one with thousands of savepoints may, sets no
 * mark.
 */
const MOST_IDS = 1000

/**
 * SQL of the transactions that may still add events below a number seen in a snapshot: those it shows running, and
 * those that began between it and the pass. A publisher has its transaction id before it takes a number, because its
 * event is inserted first; so its id is lower than that of the pass. Savepoints change nothing, as their ids are in the
 * same range; nor does a rollback, which leaves nothing behind.
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

/** SQL of whether {@link stillRunning} could list them all. */
export function allListed(next: string, own: string): string {
  return `${own} - ${next} < ${MOST_IDS}`
}
