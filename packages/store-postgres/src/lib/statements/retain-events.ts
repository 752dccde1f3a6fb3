import { eventByKey } from '../fragments/event-by-key.ts'
import { sameLane } from '../fragments/lane-key.ts'
import { isInShare, shareColumns } from '../fragments/share.ts'
import { wasBefore } from '../fragments/was-before.ts'
import type { OwnerParameters, Statement } from './statement.ts'

export interface OverdueRow {
  /** How many accounts were looked at, and the id of the last one. */
  walked: number
  last: string | null
  /** The first account whose feed begins with an event that is old enough to remove; null if there is none. */
  account_id: string | null
  mode: string | null
}

/** Finds the next account that has old events to remove. Takes two index lookups per account and mode. */
export const findOverdue: Statement<OverdueRow, OwnerParameters & { horizonMs: number; accounts: number }> = {
  name: 'find-overdue-events',
  text: `
with walked as materialized (
  select id from callboard.accounts where id >= :accountId order by id limit :accounts::int
),
overdue as materialized (
  select w.id as account_id, m.mode from walked w cross join (values ('live'), ('test')) m(mode)
  cross join lateral (
    select x.event_id from callboard.feed x where x.account_id = w.id and x.mode = m.mode order by x.position limit 1
  ) f
  left join lateral ${eventByKey('w.id', 'm.mode', 'f.event_id')} e on true
  where (w.id, m.mode) >= (:accountId, :mode)
    and coalesce(e.published_at < callboard.clock() - :horizonMs::float8 * interval '1 ms', true)
  order by w.id, m.mode limit 1
)
select (select count(*) from walked)::int as walked, (select max(id) from walked) as last, o.account_id, o.mode
from (values (1)) one left join overdue o on true`,
}

/**
 * Locks the events at the front of an account's feed, in key order, as an erasure does. Without the lock, an erasure
 * could move an event to a different ctid than the one that {@link retainEvents} found.
 */
export const lockFront: Statement<{ n: number }, OwnerParameters & { limit: number }> = {
  name: 'lock-front',
  text: `
select count(*)::int as n from (
  select x.event_id from (
    select event_id from callboard.feed where account_id = :accountId and mode = :mode
    order by position limit :limit::int
  ) x
  order by x.event_id
) f
cross join lateral (
  select x.id from callboard.events x
  where (x.account_id, x.mode, x.id) >= (:accountId, :mode, f.event_id)
    and x.account_id = :accountId and x.mode = :mode and x.id = f.event_id
  order by x.account_id, x.mode, x.id limit 1 for update
) e`,
}

/**
 * Removes the front of one account's feed, up to the first event that is not old enough, and the events themselves. It
 * is one statement, so that a reader sees both or neither. Rows are looked up one by one and deleted by ctid, because
 * the planner turned joins into scans of the account when statistics were old. An event that was erased without having
 * been locked by {@link lockFront} has a different ctid: then `found` exceeds `events`, and the step must be run again.
 *
 * If a lane's cursor is before a removed event, the lane is moved past that event. A lane whose `head` shows no work
 * stays as it is. Events that were sequenced while a subscription was disabled are not in its lane's `head`; enabling
 * the subscription ends them as a range.
 */
export const retainEvents: Statement<
  { events: number; found: number; expired: number },
  OwnerParameters & { horizonMs: number; limit: number }
> = {
  name: 'retain-events',
  text: `
with front as materialized (
  select f.position, f.type, f.at, e.published_at, e.xid, e.place as event_at,
    coalesce(e.published_at < callboard.clock() - :horizonMs::float8 * interval '1 ms', true) as old
  from (
    select x.position, x.event_id, x.type, x.ctid as at from callboard.feed x
    where x.account_id = :accountId and x.mode = :mode order by x.position limit :limit::int
  ) f
  left join lateral ${eventByKey(':accountId::text', ':mode::text', 'f.event_id')} e on true
),
gone as materialized (
  select * from front
  where position < coalesce((select min(position) from front where not old), 9223372036854775807)
),
behind as materialized (
  select l.account_id, l.mode, l.subscription_id, l.cursor, l.since, l.since_at from callboard.lanes l
  where l.account_id = :accountId and l.mode = :mode
    and l.head > l.cursor and l.cursor < (select max(position) from gone)
  order by l.account_id, l.mode, l.subscription_id for update
),
overtaken as materialized (
  select b.account_id, b.mode, b.subscription_id, b.cursor, n.deliveries, n.through from behind b
  cross join lateral (
    select ${shareColumns('x')} from callboard.subscriptions x
    where x.account_id = b.account_id and x.mode = b.mode and x.id = b.subscription_id limit 1
  ) s
  cross join lateral (
    select count(*) as deliveries, max(g.position) as through from gone g
    where g.position > b.cursor and ${isInShare('s', 'g.type', 'g.position')} and not ${wasBefore('g', 'b')}
  ) n
  where n.deliveries > 0
),
-- Adjacent ranges become one.
extended as (
  update callboard.ended_ranges r
  set through = o.through, deliveries = r.deliveries + o.deliveries, ended_at = callboard.clock()
  from overtaken o where ${sameLane('r', 'o')} and r.through = o.cursor and r.state = 'expired'
  returning r.subscription_id
),
ended as (
  insert into callboard.ended_ranges (account_id, mode, subscription_id, after, through, state, deliveries)
  select account_id, mode, subscription_id, cursor, through, 'expired', deliveries from overtaken o
  where not exists (select from extended x where x.subscription_id = o.subscription_id)
  on conflict do nothing
),
moved as (
  update callboard.lanes l set cursor = o.through from overtaken o where ${sameLane('l', 'o')}
),
unfed as (
  delete from callboard.feed where ctid = any (array(select at from gone))
),
removed as (
  delete from callboard.events where ctid = any (array(select event_at from gone)) returning 1
)
select (select count(*) from removed)::int as events, (select count(event_at) from gone)::int as found,
  (select coalesce(sum(deliveries), 0) from overtaken)::float8 as expired`,
}
