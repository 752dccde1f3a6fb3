-- Placing an event and leasing its lanes in one step, where it waits alone, as at 50 events/s nearly all do. Two round trips and two
-- commits between a publisher's and the target were 3.0 ms, the plans of a pass and of a lease the greater part: most of their time
-- is that of starting plans made for hundreds of rows. This is 1.7. Only adds: workers of the version before go on, and keep
-- out of each other's way by the same two locks.

-- Does what `sequence_outbox` does. Where one event waits, it leases for `p_worker` such of its lanes, `p_lanes` at most or none, as
-- have nothing else to do: behind them is nothing that is due, and nothing waits for an order. A row for each of these, otherwise one
-- row without a lane, or none where somebody else places. A lane is one value: more than twenty columns took 0.1 ms of each idle look. `rest`: other lanes may have been woken.
create function callboard.place_and_lease(turn bigint, most int, mark bigint, pending xid8[], awaited xid8[],
  p_worker text, p_lanes int, p_lease_ms float8, p_slow boolean, p_leave_out text[])
returns table (n int, through bigint, running xid8[], unended xid8[], whole boolean, rest boolean, lane json)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  looked pg_snapshot;
  began bigint;
  first bigint;
  last bigint;
  event record;
begin
  -- In one snapshot: what is not placed up to `last`, this one apart, belongs to a transaction that it shows running, or to one that it does
  -- not know of yet, whose id is lower than that of this transaction.
  select pg_current_snapshot(), (select o.queued from callboard.outbox o where o.shard = 0 and o.queued > mark order by o.queued limit 1),
    (select o.queued from callboard.outbox o where o.shard = 0 order by o.queued desc limit 1)
  into looked, first, last;
  if first is distinct from last or exists (select from unnest(pending) p where pg_visible_in_snapshot(p, looked)) then
    for n, through, running, unended, whole in select * from callboard.sequence_outbox(turn, most, mark, pending, awaited) loop
      rest := n > 0;
      return next;
    end loop;
    return;
  end if;
  whole := mark = 0;
  unended := array(select p from unnest(pending || awaited) p where not pg_visible_in_snapshot(p, looked));
  if last is null then
    n := 0;
    running := '{}';
    rest := false;
    return next;
    return;
  end if;

  -- The snapshots of what follows are taken after the lock: none is without a lane that was made meanwhile.
  perform from callboard.sequencers where shard = 0 and (select pg_try_advisory_xact_lock(turn)) for update;
  if not found then
    return;
  end if;
  with taken as (
    delete from callboard.outbox o where o.shard = 0 and o.queued = last returning o.account_id, o.mode, o.type, o.event_id
  ),
  moved as (
    update callboard.sequencers s set position = s.position + 1 where s.shard = 0 and exists (select from taken) returning s.position
  ),
  fed as (
    insert into callboard.feed (account_id, mode, position, type, event_id)
    select t.account_id, t.mode, m.position, t.type, t.event_id from taken t cross join moved m
    returning account_id, mode, position, type, event_id
  )
  select f.*, e.published_at, e.xid, e.body, e.patch, e.fingerprint into event
  from fed f left join lateral (
    select x.* from callboard.events x where x.account_id = f.account_id and x.mode = f.mode and x.id between f.event_id and f.event_id
    order by x.id limit 1
  ) e on true;
  if not found then
    return;
  end if;
  n := 1;
  began := pg_snapshot_xmax(looked)::text::bigint;
  -- Not where a transaction with thousands of savepoints has as many ids.
  through := case when pg_current_xact_id()::text::bigint - began < 1000 then last end;
  running := array(
    select pg_snapshot_xip(looked)
    union all select x::text::xid8 from generate_series(began, least(pg_current_xact_id()::text::bigint, began + 1000) - 1) x
  );

  return query
    -- Lanes are locked in key order, and judged as they are then: what was settled meanwhile may have left a retry.
    with touched as materialized (
      select l.account_id, l.mode, l.subscription_id, x.epoch,
        l.state = 'idle' and l.wake_at is null and l.head <= l.cursor and l.slow = p_slow and t.ordering = 'none' and l.account_id <> all (p_leave_out) as ready,
        t.target_url, t.secret, t.former_secret, t.former_secret_expires_at,
        t.active and (t.source <> 'api' or t.counts) as deliverable, t.active and t.source = 'api' and not t.counts as held,
        case when t.source = 'api' then t.counts and t.people else coalesce(t.personal_data, false) end as personal_data
      from (
        select s.account_id, s.mode, s.id as subscription_id, s.ordering, s.source, s.personal_data, s.state = 'active' as active,
          s.target_url, s.secret, s.former_secret_expires_at, case when s.former_secret_expires_at > callboard.clock() then s.former_secret end as former_secret,
          -- The rule of `standing.ts`.
          k.id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > callboard.clock()) as counts, 'people.read' = any (k.scopes) as people
        from callboard.subscription_types t
        -- Each by the whole of its key, of one row at most: joins were planned, for tables of few rows, to read the account's once for each lane.
        cross join lateral (
          select x.* from callboard.subscriptions x where x.account_id = t.account_id and x.mode = t.mode and x.id = t.subscription_id limit 1
        ) s
        left join lateral (
          select x.* from callboard.api_keys x where x.account_id = s.account_id and x.id = s.confirmed_by limit 1
        ) k on true
        where t.account_id = event.account_id and t.mode = event.mode and t.type = event.type
        order by t.subscription_id
      ) t
      cross join lateral (
        select l.epoch, l.since, l.since_at from callboard.lanes l
        where l.account_id = t.account_id and l.mode = t.mode and l.subscription_id = t.subscription_id order by l.epoch desc limit 1
      ) x
      join callboard.lanes l on l.account_id = t.account_id and l.mode = t.mode and l.subscription_id = t.subscription_id and l.epoch >= x.epoch
      where not coalesce(event.published_at <= x.since_at and pg_visible_in_snapshot(event.xid, x.since), false)
      order by l.account_id, l.mode, l.subscription_id for update of l
    ),
    chosen as materialized (
      select t.*, t.ready and (select count(*) from touched u where u.ready) <= p_lanes as leased from touched t
    ),
    woken as (
      update callboard.lanes l set head = event.position,
        state = case when c.leased then 'leased' else l.state end,
        worker = case when c.leased then p_worker else l.worker end,
        epoch = case when c.leased then l.epoch + 1 else l.epoch end,
        claims = case when c.leased then least(l.claims + 1, 100) else l.claims end,
        wake_at = case
          when c.leased then callboard.clock() + p_lease_ms * interval '1 ms'
          when l.state = 'idle' then least(l.wake_at, callboard.clock())
          else l.wake_at
        end
      from chosen c where l.account_id = c.account_id and l.mode = c.mode and l.subscription_id = c.subscription_id and l.epoch >= c.epoch
      returning case when c.leased then json_build_object(
        'account_id', l.account_id, 'mode', l.mode, 'subscription_id', l.subscription_id, 'epoch', l.epoch, 'claims', l.claims, 'cursor', l.cursor, 'head', l.head, 'failures', l.failures,
        'target_url', c.target_url, 'secret', c.secret, 'former_secret', c.former_secret, 'former_secret_expires_at', extract(epoch from c.former_secret_expires_at) * 1000,
        'deliverable', c.deliverable, 'held', c.held, 'personal_data', c.personal_data,
        'event_id', event.event_id, 'type', event.type, 'body', event.body, 'patch', case when c.personal_data then event.patch end, 'fingerprint', event.fingerprint
      ) end as lane
    )
    select n, through, running, unended, whole, exists (select from chosen c where not c.leased), w.lane from woken w where w.lane is not null;
  if not found then
    rest := true;
    return next;
  end if;
end $$;
