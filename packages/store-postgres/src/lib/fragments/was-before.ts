/**
 * SQL that tells whether an event is older than a subscription: it was visible in the lane's snapshot. `event` and
 * `lane` are aliases. Transaction ids start again after a dump is restored, so an event that was published later is
 * never older (decision 001).
 */
export function wasBefore(event: string, lane: string): string {
  return olderThan(event, `${lane}.since`, `${lane}.since_at`)
}

/** The same for the snapshot taken at the subscription's creation, which never moves. */
export function wasBeforeStart(event: string, lane: string): string {
  return olderThan(event, `${lane}.start_since`, `${lane}.start_since_at`)
}

function olderThan(event: string, snapshot: string, at: string): string {
  return `coalesce(${event}.published_at <= ${at} and pg_visible_in_snapshot(${event}.xid, ${snapshot}), false)`
}
