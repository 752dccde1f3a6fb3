import { eventByKey } from '../fragments/event-by-key.ts'
import { sameLane } from '../fragments/lane-key.ts'
import { RAISED_EPOCH } from '../fragments/raised-epoch.ts'
import { isInShare, shareColumns } from '../fragments/share.ts'
import { wasBefore } from '../fragments/was-before.ts'
import type { OwnerParameters, Statement } from './statement.ts'

export interface RetainedRow {
  /** How many positions were removed from the feed, and for how many of them the event was found. */
  positions: number
  found: number
  /** How many events were removed. */
  events: number
  expired: number
}

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
 * An event that a worker may be sending stays until the worker has settled it or its lease has ended, so that no
 * delivery is both sent and counted as expired. The worker's lane keeps its cursor, because another worker must find
 * these events if the worker dies.
 *
 * Any other lane whose cursor is before a removed event is moved past that event, and a lease on it that has ended can
 * no longer be settled. A lane whose `head` shows no work stays as it is. Events that were sequenced while a
 * subscription was disabled are not in its lane's `head`; enabling the subscription ends them as a range.
 */
export const retainEvents: Statement<RetainedRow, OwnerParameters & { horizonMs: number; limit: number }> = {
  name: 'retain-events',
  text: `
with front as materialized (
  select f.position, f.type, f.at, e.published_at, e.xid, e.place as event_at,
    coalesce(e.published_at < callboard.clock() - :horizonMs::float8 * interval '1 ms', true) as is_old
  from (
    select x.position, x.event_id, x.type, x.ctid as at from callboard.feed x
    where x.account_id = :accountId and x.mode = :mode order by x.position limit :limit::int
  ) f
  left join lateral ${eventByKey(':accountId::text', ':mode::text', 'f.event_id')} e on true
),
old as materialized (
  select * from front
  where position < coalesce((select min(position) from front where not is_old), 9223372036854775807)
),
locked as materialized (
  select l.account_id, l.mode, l.subscription_id, l.cursor, l.since, l.since_at, l.room,
    coalesce(
      case l.state when 'leased' then l.wake_at when 'disabled' then l.leased_until end > callboard.clock(), false
    ) as is_held
  from callboard.lanes l
  where l.account_id = :accountId and l.mode = :mode
    and l.head > l.cursor and l.cursor < (select max(position) from old)
  order by l.account_id, l.mode, l.subscription_id for update
),
behind as materialized (
  select l.*, s.* from locked l
  cross join lateral (
    select ${shareColumns('x')} from callboard.subscriptions x
    where x.account_id = l.account_id and x.mode = l.mode and x.id = l.subscription_id limit 1
  ) s
),
in_flight as materialized (
  select distinct o.position from behind b
  cross join lateral (
    select o.position from old o
    where b.is_held and o.position > b.cursor and ${isInShare('b', 'o.type', 'o.position')}
    order by o.position limit b.room
  ) o
),
gone as materialized (
  select * from old where position not in (select position from in_flight)
),
overtaken as materialized (
  select b.account_id, b.mode, b.subscription_id, b.cursor, b.is_held, n.deliveries, n.through,
    b.event_types || b.previous_types as types,
    case when b.is_held then n.first - 1 else b.cursor end as after
  from behind b
  cross join lateral (
    select count(*) as deliveries, min(o.position) as first, max(o.position) as through from old o
    where o.position > b.cursor and o.position <= (select max(position) from gone)
      and (not b.is_held or o.position not in (select position from in_flight))
      and ${isInShare('b', 'o.type', 'o.position')} and not ${wasBefore('o', 'b')}
  ) n
  where n.deliveries > 0
),
-- A new range extends the last range if the lane has no event between the two.
extended as (
  update callboard.ended_ranges r
  set through = greatest(r.through, o.through), deliveries = r.deliveries + o.deliveries,
    ended_at = callboard.clock(), types = o.types
  from overtaken o where ${sameLane('r', 'o')} and r.through >= o.cursor and r.state = 'expired'
  returning r.subscription_id
),
ended as (
  insert into callboard.ended_ranges (account_id, mode, subscription_id, after, through, state, deliveries, types)
  select account_id, mode, subscription_id, after, through, 'expired', deliveries, types from overtaken o
  where not exists (select from extended x where x.subscription_id = o.subscription_id)
  on conflict do nothing
),
moved as (
  update callboard.lanes l
  set cursor = o.through, leased_until = null,
    state = case l.state when 'leased' then 'idle' else l.state end,
    epoch = case when l.state = 'leased' or l.leased_until is not null then ${RAISED_EPOCH} else l.epoch end
  from overtaken o where ${sameLane('l', 'o')} and not o.is_held
),
unfed as (
  delete from callboard.feed where ctid = any (array(select at from gone))
),
removed as (
  delete from callboard.events where ctid = any (array(select event_at from gone)) returning 1
)
select (select count(*) from gone)::int as positions, (select count(event_at) from gone)::int as found,
  (select count(*) from removed)::int as events,
  (select coalesce(sum(deliveries), 0) from overtaken)::float8 as expired`,
}
