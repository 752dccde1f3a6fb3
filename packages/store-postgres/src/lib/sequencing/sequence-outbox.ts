import { isLane, newestLane } from '../lanes/lane-key.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { indented } from '../sql/indented.ts'
import { wasBefore } from '../subscriptions/was-before.ts'
import { allListed, anyEnded, notEnded, stillRunning } from './running-transactions.ts'

/**
 * PL/pgSQL with which a pass over the outbox keeps other passes out: it locks the sequencer's row until the end of the
 * transaction. If another pass is running, the function returns no row.
 */
export const LOCK_SEQUENCER: string = `
perform from callboard.sequencer where (select pg_try_advisory_xact_lock(lock_key)) for update;
if not found then
  return;
end if;`

const SNAPSHOT = 'pg_current_snapshot()'
const FIRST = `case when ${anyEnded('pending', SNAPSHOT)} then 0 else mark end`

/**
 * Sequences committed events: moves them from the outbox into the feed and wakes the lanes of matching subscriptions.
 * It sees only committed rows, so it never waits for an open transaction, and a reader that follows the positions
 * misses nothing.
 *
 * Of several concurrent calls, one gets the advisory lock `lock_key` and sequences; the others return immediately,
 * without a row. The pass is a separate statement, because a snapshot taken before the lock was granted could miss a
 * new lane. If the outbox is empty, nothing is locked or written.
 *
 * `mark`, `pending` and `awaited`, and the results `through`, `running`, `unended` and `whole`, let the caller skip the
 * dead rows at the outbox's start (schema.md, "Marks"). Sequential scans are off, because the generic plan is made
 * while the outbox is empty and kept when it is full.
 *
 * Rows are taken in the order of `queued`. Within a subject, that is also the order of `sequence`, so a pass that stops
 * at its limit leaves only later events behind. Rows are deleted by ctid and events are looked up one by one, because
 * the planner turned joins into scans: 45 ms a pass at a backlog of 200,000. Lanes are matched by type before positions
 * are compared: for 500 events of one type and 1,000 subscriptions, this takes 78 ms instead of 515.
 */
export const sequenceOutboxFunction: DatabaseFunction = {
  name: 'sequence_outbox',
  text: `
create or replace function callboard.sequence_outbox(
  lock_key bigint, most int, mark bigint, pending xid8[], awaited xid8[]
) returns table (n int, through bigint, running xid8[], unended xid8[], whole boolean)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  seen bigint;
begin
  return query
    select 0, null::bigint, '{}'::xid8[], ${notEnded('pending || awaited', SNAPSHOT)}, f.first = 0
    from (select ${FIRST} as first) f
    where (select o.queued from callboard.outbox o where o.queued > f.first order by o.queued limit 1) is null;
  if found then
    return;
  end if;
  seen := (select o.queued from callboard.outbox o order by o.queued desc limit 1);

  ${indented(2, LOCK_SEQUENCER)}

  return query
    with start as materialized (
      select ${FIRST} as first
    ),
    next as materialized (
      select o.ctid from callboard.outbox o
      where o.queued > (select first from start)
      order by o.queued limit most
    ),
    taken as (
      delete from callboard.outbox where ctid = any (array(select ctid from next))
      returning queued, event_id, account_id, mode, type
    ),
    grouped as (
      select t.*, e.sequence, e.published_at, e.xid,
        first_value(t.queued) over (
          partition by t.account_id, t.mode, e.subject_type, e.subject_id order by t.queued
        ) as first
      from taken t left join lateral ${eventByKey('t.account_id', 't.mode', 't.event_id')} e on true
    ),
    sequenced as materialized (
      select g.account_id, g.mode, g.event_id, g.type, g.published_at, g.xid, g.queued,
        (select q.position from callboard.sequencer q)
          + row_number() over (order by g.first, g.sequence, g.queued) as position
      from grouped g
    ),
    by_type as (
      select account_id, mode, type, array_agg(position order by position desc) as positions,
        array_agg(published_at order by position desc) as times, array_agg(xid order by position desc) as xids
      from sequenced group by 1, 2, 3
    ),
    heads as materialized (
      select t.account_id, t.mode, t.subscription_id, x.epoch, max(u.position) as head
      from by_type p
      join callboard.subscription_types t on t.account_id = p.account_id and t.mode = p.mode and t.type = p.type
      cross join lateral ${newestLane({ accountId: 't.account_id', mode: 't.mode', id: 't.subscription_id' })} x
      cross join lateral (
        -- The newest event that is not older than the subscription. An older event does not wake the lane.
        select v.position from unnest(p.positions, p.times, p.xids) as v(position, published_at, xid)
        where not ${wasBefore('v', 'x')} limit 1
      ) u
      group by 1, 2, 3, 4
    ),
    -- Lanes are locked in key order.
    touched as materialized (
      select l.account_id, l.mode, l.subscription_id, h.epoch, h.head
      from heads h join callboard.lanes l on ${isLane('l', 'h', '>= h.epoch')}
      order by l.account_id, l.mode, l.subscription_id for update of l
    ),
    woken as (
      update callboard.lanes l
      set head = t.head,
        wake_at = case when l.state = 'idle' then least(l.wake_at, callboard.clock()) else l.wake_at end
      from touched t where ${isLane('l', 't', '>= t.epoch')}
    ),
    moved as (
      update callboard.sequencer s set position = p.last
      from (select max(position) as last from sequenced) p where p.last is not null
    ),
    -- Postgres runs the last of these steps first. So lanes are locked only once the events are in the feed, and
    -- settles wait less for lanes.
    fed as (
      insert into callboard.feed (account_id, mode, position, type, event_id)
      select account_id, mode, position, type, event_id from sequenced
    )
    select count(p.event_id)::int,
      case when ${allListed('s.next_xid', 's.own_xid')} then
        case when count(p.event_id) < most then seen else least(max(p.queued), seen) end
      end,
      ${stillRunning(SNAPSHOT, 's.next_xid', 's.own_xid')},
      ${notEnded('pending || awaited', SNAPSHOT)},
      (select first = 0 from start)
    from (
      select pg_current_xact_id()::text::bigint as own_xid, pg_snapshot_xmax(${SNAPSHOT})::text::bigint as next_xid
    ) s left join sequenced p on true
    group by s.own_xid, s.next_xid;
end $$`,
}
