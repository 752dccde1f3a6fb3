/**
 * SQL that tests whether an event is older than a subscription: it was visible in the lane's snapshot. `event` and
 * `lane` are aliases. An event that was published after the snapshot was taken never counts as older, although it may
 * look visible, because transaction ids start again after a dump is restored (decision 001).
 */
export function wasBefore(event: string, lane: string): string {
  return olderThan(event, `${lane}.since`, `${lane}.since_at`)
}

/** The same test with the snapshot taken when the subscription was created, which never changes. */
export function wasBeforeStart(event: string, lane: string): string {
  return olderThan(event, `${lane}.start_since`, `${lane}.start_since_at`)
}

function olderThan(event: string, snapshot: string, at: string): string {
  return `coalesce(${event}.published_at <= ${at} and pg_visible_in_snapshot(${event}.xid, ${snapshot}), false)`
}
