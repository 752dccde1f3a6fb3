import { sameLane } from '../lanes/lane-key.ts'
import { RAISED_EPOCH } from '../lanes/leases.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { indented } from '../sql/indented.ts'
import type { Statement } from '../sql/statement.ts'
import { isSelected, selectionColumns } from '../subscriptions/selections.ts'
import { wasBefore } from '../subscriptions/was-before.ts'
import { FROM_THE_START, type RetentionRow } from './retention-statements.ts'

/** If `task` is not `events`, nothing was done. */
export type RetainedRow = Pick<RetentionRow, 'task'> & { events: number; expired: number }

/** Looks at this many accounts, and at most `limit` events of one of them. */
export const retainEvents: Statement<
  RetainedRow,
  { horizonMs: number; responsesMs: number; accounts: number; limit: number }
> = {
  name: 'retain-events',
  text: `
select task, events, expired
from callboard.retain_events(:horizonMs::float8, :responsesMs::float8, :accounts::int, :limit::int)`,
}

const IS_SELECTED = isSelected('b', 'o.type', 'o.position')

/**
 * Takes one step of retention if it is at the events. Returns no row if another process is taking a step.
 *
 * Finds the next account, within `p_accounts`, whose feed begins with an old event; this takes two index lookups per
 * account and mode. Then removes the front of that feed, up to the first event that is not old enough, and the events
 * themselves. One statement removes both, so that a reader sees both or neither. Rows are looked up one by one and
 * deleted by ctid, because the planner turned joins into scans of the account when statistics were old.
 *
 * An event that a worker may be sending stays until the worker has settled it or its lease has ended, so that no
 * delivery is both sent and counted as expired. The worker's lane keeps its `settled_through`, because another worker
 * must find these events if the worker dies.
 *
 * Any other lane whose `settled_through` is before a removed event is moved past that event, and a lease on it that has
 * ended can no longer be settled. A lane whose `head` shows no work stays as it is. Events that were sequenced while a
 * subscription was disabled are not in its lane's `head`; enabling the subscription ends them as a range.
 */
export const retainEventsFunction: DatabaseFunction = {
  name: 'retain_events',
  text: `
create or replace function callboard.retain_events(
  p_horizon_ms float8, p_responses_ms float8, p_accounts int, p_limit int
) returns table (task text, events int, expired float8)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  place callboard.retention;
  owner record;
  removed record;
begin
  select r.* into place from callboard.retention r where r.one for update skip locked;
  if not found then
    return;
  end if;
  task := place.task;
  if place.task <> 'events' then
    return next;
    return;
  end if;
  events := 0;
  expired := 0;

  with walked as materialized (
    select id from callboard.accounts where id >= place.account_id order by id limit p_accounts
  ),
  overdue as materialized (
    select w.id as account_id, m.mode from walked w cross join (values ('live'), ('test')) m(mode)
    cross join lateral (
      select x.event_id from callboard.feed x where x.account_id = w.id and x.mode = m.mode order by x.position limit 1
    ) f
    left join lateral ${indented(4, eventByKey('w.id', 'm.mode', 'f.event_id'))} e on true
    where (w.id, m.mode) >= (place.account_id, place.mode)
      and coalesce(e.published_at < callboard.clock() - p_horizon_ms * interval '1 ms', true)
    order by w.id, m.mode limit 1
  )
  select (select count(*) from walked)::int as walked, (select max(id) from walked) as last, o.account_id, o.mode
  into owner from (values (1)) one left join overdue o on true;
  if owner.account_id is not null then
    -- The events are locked in key order, as an erasure does. Without the lock, an erasure could move an event to a
    -- different ctid than the one found below.
    perform e.id from (
      select x.event_id from (
        select event_id from callboard.feed where account_id = owner.account_id and mode = owner.mode
        order by position limit p_limit
      ) x
      order by x.event_id
    ) f
    cross join lateral (
      select x.id from callboard.events x
      where (x.account_id, x.mode, x.id) >= (owner.account_id, owner.mode, f.event_id)
        and x.account_id = owner.account_id and x.mode = owner.mode and x.id = f.event_id
      order by x.account_id, x.mode, x.id limit 1 for update
    ) e;

    with front as materialized (
      select f.position, f.type, f.row_id, e.published_at, e.xid, e.row_id as event_row_id,
        coalesce(e.published_at < callboard.clock() - p_horizon_ms * interval '1 ms', true) as is_old
      from (
        select x.position, x.event_id, x.type, x.ctid as row_id from callboard.feed x
        where x.account_id = owner.account_id and x.mode = owner.mode order by x.position limit p_limit
      ) f
      left join lateral ${indented(6, eventByKey('owner.account_id', 'owner.mode', 'f.event_id'))} e on true
    ),
    old as materialized (
      select * from front
      where position < coalesce((select min(position) from front where not is_old), 9223372036854775807)
    ),
    locked as materialized (
      select l.account_id, l.mode, l.subscription_id, l.settled_through, l.since, l.since_at, l.room,
        coalesce(
          case l.state when 'leased' then l.wake_at when 'disabled' then l.leased_until end > callboard.clock(), false
        ) as is_held
      from callboard.lanes l
      where l.account_id = owner.account_id and l.mode = owner.mode
        and l.head > l.settled_through and l.settled_through < (select max(position) from old)
      order by l.account_id, l.mode, l.subscription_id for update
    ),
    behind as materialized (
      select l.*, s.* from locked l
      cross join lateral (
        select ${selectionColumns('x')} from callboard.subscriptions x
        where x.account_id = l.account_id and x.mode = l.mode and x.id = l.subscription_id limit 1
      ) s
    ),
    in_flight as materialized (
      select distinct o.position from behind b
      cross join lateral (
        select o.position from old o
        where b.is_held and o.position > b.settled_through and ${indented(8, IS_SELECTED)}
        order by o.position limit b.room
      ) o
    ),
    gone as materialized (
      select * from old where position not in (select position from in_flight)
    ),
    overtaken as materialized (
      select b.account_id, b.mode, b.subscription_id, b.settled_through, b.is_held, n.deliveries, n.through,
        b.event_types || b.previous_types as types,
        case when b.is_held then n.first - 1 else b.settled_through end as after
      from behind b
      cross join lateral (
        select count(*) as deliveries, min(o.position) as first, max(o.position) as through from old o
        where o.position > b.settled_through and o.position <= (select max(position) from gone)
          and (not b.is_held or o.position not in (select position from in_flight))
          and ${indented(10, IS_SELECTED)} and not ${wasBefore('o', 'b')}
      ) n
      where n.deliveries > 0
    ),
    -- A new range extends the last range if the lane has no event between the two.
    extended as (
      update callboard.ended_ranges r
      set through = greatest(r.through, o.through), deliveries = r.deliveries + o.deliveries,
        ended_at = callboard.clock(), types = o.types
      from overtaken o where ${sameLane('r', 'o')} and r.through >= o.settled_through and r.state = 'expired'
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
      set settled_through = o.through, leased_until = null,
        state = case l.state when 'leased' then 'idle' else l.state end,
        epoch = case when l.state = 'leased' or l.leased_until is not null then ${RAISED_EPOCH} else l.epoch end
      from overtaken o where ${sameLane('l', 'o')} and not o.is_held
    ),
    started as (
      insert into callboard.feed_starts as s (account_id, mode, after)
      select owner.account_id, owner.mode, max(position) from gone having count(*) > 0
      on conflict (account_id, mode) do update set after = greatest(s.after, excluded.after)
    ),
    unfed as (
      delete from callboard.feed where ctid = any (array(select row_id from gone))
    ),
    removed as (
      delete from callboard.events where ctid = any (array(select event_row_id from gone)) returning 1
    )
    select (select count(*) from gone)::int as positions, (select count(event_row_id) from gone)::int as found,
      (select count(*) from removed)::int as events,
      (select coalesce(sum(deliveries), 0) from overtaken)::float8 as expired
    into removed;
    -- An event and its row in the feed must be deleted together, so the step is run again.
    if removed.events < removed.found then
      raise exception 'an event was erased while it was being removed' using errcode = 'serialization_failure';
    end if;
    events := removed.events;
    expired := removed.expired;
    -- If all old events are in flight, the pass leaves them and goes on with the next mode or account.
    update callboard.retention
    set account_id = owner.account_id, mode = owner.mode || case when removed.positions = 0 then '~' else '' end
    where one;
  elsif owner.walked < p_accounts then
    -- The time before which the pass removes responses is the same for all subscriptions.
    update callboard.retention
    set task = 'logs', ${FROM_THE_START}, responses_until = callboard.clock() - p_responses_ms * interval '1 ms'
    where one;
  else
    update callboard.retention set account_id = owner.last, mode = '~' where one;
  end if;
  return next;
end $$`,
}
