/**
 * SQL that tests whether an event is older than a subscription, that is, visible in the snapshot that the lane stores.
 * `event` and `lane` are aliases. After a dump is restored, transaction ids start again, and a newer event may look
 * visible; so the time of the snapshot is compared too (decision 001).
 */
export function wasBefore(event: string, lane: string): string {
  return olderThan(event, `${lane}.since`, `${lane}.since_at`)
}

/** Like {@link wasBefore}, but with the snapshot taken when the subscription was created, which never changes. */
export function wasBeforeStart(event: string, lane: string): string {
  return olderThan(event, `${lane}.start_since`, `${lane}.start_since_at`)
}

function olderThan(event: string, snapshot: string, at: string): string {
  return `coalesce(${event}.published_at <= ${at} and pg_visible_in_snapshot(${event}.xid, ${snapshot}), false)`
}
