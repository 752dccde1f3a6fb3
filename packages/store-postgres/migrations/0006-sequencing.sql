-- Sequencing as a function: one round trip and one commit where there were four and two (0.9 against 1.2 ms), each of its statements
-- with a snapshot of its own. Workers of the version before go on with their own statements, and keep out of each other's way by
-- the same two locks.

-- Asked for row by row, a function in SQL that is not put in place takes 1 microsecond a call, one in PL/pgSQL 0.3.
create or replace function callboard.clock() returns timestamptz language plpgsql stable as $$ begin return clock_timestamp(); end $$;

-- A lane is found by an epoch that it has reached, and its epoch is part of its key: epochs only rise, so versions of a lane which are gone,
-- but which a long transaction of the platform keeps from being vacuumed, are neither read again nor compared with each new one, as the check of
-- a key without the epoch did (45 s into such a transaction, at 5,000 events/s, a pass over the outbox read 113,000 blocks in 359 ms).
alter table callboard.lanes drop constraint lanes_pkey, add primary key (account_id, mode, subscription_id, epoch);

-- Lanes that are due apart from leases that have run out. A lease sets a time half a minute ahead, and so many later each version of a lane that
-- was leased under a long transaction lay among those that are due: from then on a lease read 23,000 blocks where 2,000 had sufficed.
-- Workers of the version before read all lanes instead, until they are replaced.
drop index callboard.lanes_wake;
create index lanes_due on callboard.lanes (slow, wake_at) where state <> 'leased' and wake_at is not null;
create index lanes_leased on callboard.lanes (slow, wake_at) where state = 'leased';

-- Moves committed outbox rows into the feed and wakes the lanes they match. It sees only committed rows, so a position never waits for
-- a transaction, and readers that follow positions miss nothing.
--
-- Of several callers one does it (`turn` is the key of its lock); the others return no row at once, and so that nothing is written
-- when nothing waits, the outbox is looked at before. The pass is a statement after the one that takes the lock: it must take its snapshot
-- after the lock was granted, or it could place an event without seeing the lane that was made meanwhile.
--
-- `mark` and `pending` say where to begin, so that rows which are gone, but which a long transaction of the platform keeps
-- from being vacuumed, are not read again and again: what is not placed up to `mark` belongs to transactions in `pending`. Once one of
-- those has ended the pass begins at the start, and says so by `whole`. `unended` are those of `pending` and `awaited` that have not ended.
--
-- `through` and `running` are for the next mark: what is not placed up to `through` belongs to a transaction in `running`. A publisher has
-- its transaction id before it takes a number (its event is inserted first). So whoever took a number up to one that was seen before the
-- pass had an id of its own has a lower id than the pass; and runs still if the snapshot lists it, or if it is above all that have
-- completed, which the snapshot does not list. Savepoints change nothing: the id of the whole transaction is among these. Nor does
-- a transaction that is rolled back: it has ended, and left nothing.
--
-- One plan, and no sequential scans in it: it is made when the outbox is empty, and kept when it is not.
create function callboard.sequence_outbox(turn bigint, most int, mark bigint, pending xid8[], awaited xid8[])
returns table (n int, through bigint, running xid8[], unended xid8[], whole boolean) language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  seen bigint;
begin
  return query
    select 0, null::bigint, '{}'::xid8[],
      array(select p from unnest(pending || awaited) p where not pg_visible_in_snapshot(p, pg_current_snapshot())), f.first = 0
    from (
      select case when exists (select from unnest(pending) p where pg_visible_in_snapshot(p, pg_current_snapshot())) then 0 else mark end as first
    ) f
    where (select o.queued from callboard.outbox o where o.shard = 0 and o.queued > f.first order by o.queued limit 1) is null;
  if found then
    return;
  end if;
  seen := (select o.queued from callboard.outbox o where o.shard = 0 order by o.queued desc limit 1);

  perform from callboard.sequencers where shard = 0 and (select pg_try_advisory_xact_lock(turn)) for update;
  if not found then
    return;
  end if;

  -- Rows are taken in the order they were queued in, which within a subject is that of their sequence, so that a pass which leaves
  -- some behind leaves the later ones. They are taken by ctid and events looked up one by one: on an outbox that was empty
  -- when it was last analysed, joins were planned as scans (45 ms a pass at a backlog of 200,000). Types are matched with lanes before
  -- positions: 500 events of one type and 1,000 subscriptions took 78 ms so, 515 ms the other way round. Lanes are locked in key order.
  return query
    with start as materialized (
      select case when exists (select from unnest(pending) p where pg_visible_in_snapshot(p, pg_current_snapshot())) then 0 else mark end as first
    ),
    next as materialized (
      select ctid from callboard.outbox where shard = 0 and queued > (select first from start) order by queued limit most
    ),
    taken as (
      delete from callboard.outbox where ctid = any (array(select ctid from next)) returning queued, event_id, account_id, mode, type
    ),
    grouped as (
      select t.*, e.sequence, e.published_at, e.xid,
        first_value(t.queued) over (partition by t.account_id, t.mode, e.subject_type, e.subject_id order by t.queued) as first
      from taken t left join lateral (
        select x.* from callboard.events x where (x.account_id, x.mode, x.id) >= (t.account_id, t.mode, t.event_id)
        order by x.account_id, x.mode, x.id limit 1
      ) e on e.account_id = t.account_id and e.mode = t.mode and e.id = t.event_id
    ),
    placed as materialized (
      select g.account_id, g.mode, g.event_id, g.type, g.published_at, g.xid, g.queued,
        (select position from callboard.sequencers where shard = 0) + row_number() over (order by g.first, g.sequence, g.queued) as position
      from grouped g
    ),
    fed as (
      insert into callboard.feed (account_id, mode, position, type, event_id) select account_id, mode, position, type, event_id from placed
    ),
    heads as materialized (
      select t.account_id, t.mode, t.subscription_id, x.epoch, max(u.position) as head
      from (
        select account_id, mode, type, array_agg(position order by position desc) as positions,
          array_agg(published_at order by position desc) as times, array_agg(xid order by position desc) as xids
        from placed group by 1, 2, 3
      ) p
      join callboard.subscription_types t on t.account_id = p.account_id and t.mode = p.mode and t.type = p.type
      cross join lateral (
        -- The one version that is seen, asked for from the newest on.
        select l.epoch, l.since, l.since_at from callboard.lanes l
        where l.account_id = t.account_id and l.mode = t.mode and l.subscription_id = t.subscription_id order by l.epoch desc limit 1
      ) x
      cross join lateral (
        -- The newest event that was not there before the subscription: what was wakes nobody.
        select v.position from unnest(p.positions, p.times, p.xids) as v(position, published_at, xid)
        where not coalesce(v.published_at <= x.since_at and pg_visible_in_snapshot(v.xid, x.since), false) limit 1
      ) u
      group by 1, 2, 3, 4
    ),
    touched as materialized (
      select l.account_id, l.mode, l.subscription_id, h.epoch, h.head
      from heads h join callboard.lanes l
        on l.account_id = h.account_id and l.mode = h.mode and l.subscription_id = h.subscription_id and l.epoch >= h.epoch
      order by l.account_id, l.mode, l.subscription_id for update of l
    ),
    woken as (
      update callboard.lanes l set head = t.head, wake_at = case when l.state = 'idle' then least(l.wake_at, callboard.clock()) else l.wake_at end
      from touched t where l.account_id = t.account_id and l.mode = t.mode and l.subscription_id = t.subscription_id and l.epoch >= t.epoch
    ),
    moved as (
      update callboard.sequencers s set position = p.last from (select max(position) as last from placed) p where s.shard = 0 and p.last is not null
    )
    select count(p.event_id)::int,
      -- Not where a transaction with thousands of savepoints has as many ids.
      case when s.own - s.top < 1000 then least(max(p.queued), seen) end,
      array(
        select pg_snapshot_xip(pg_current_snapshot()) union all select x::text::xid8 from generate_series(s.top, least(s.own, s.top + 1000) - 1) x
      ),
      array(select p from unnest(pending || awaited) p where not pg_visible_in_snapshot(p, pg_current_snapshot())), (select first = 0 from start)
    from (
      select pg_current_xact_id()::text::bigint as own, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as top
    ) s left join placed p on true
    group by s.own, s.top;
end $$;
