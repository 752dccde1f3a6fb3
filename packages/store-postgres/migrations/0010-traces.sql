-- The trace that an event was published in, for the span of each attempt to deliver it: a column of the event, for it is told of in the
-- platform's transaction and needed as long as the event can be sent. Null, which takes no room, unless the platform has telemetry.
-- Only adds: publishers of the version before call the functions of 0005, which are there as they were.
alter table callboard.events add column trace text collate "C";

-- For the gauges: they are few, so whoever counts them need not read all others.
create index subscriptions_disabled on callboard.subscriptions (disabled_reason) where state = 'disabled';

-- As in 0005, with a trace.
create function callboard.publish_event(
  p_account_id text, p_mode text, p_id uuid, p_type text, p_occurred_at timestamptz, p_subject_type text, p_subject_id text,
  p_sequence bigint, p_idempotency_key text, p_digest text, p_head text, p_middle text, p_tail text, p_patch text,
  p_fingerprint text, p_person_id text, p_own_id boolean, p_trace text
) returns bigint language plpgsql as $$
declare
  account_name text;
  number bigint := p_sequence;
begin
  select a.name into account_name from callboard.accounts a where a.id = p_account_id and a.deleted_at is null;
  if not found then
    return null;
  end if;
  -- Looked for before the counter is taken: a repeat waits for nobody. Each as a place in the order of its own index, which
  -- no other index gives (schema.md, "A table that grew since it was analysed").
  if p_own_id then
    perform from (
      select x.account_id, x.mode, x.id from callboard.events x where (x.account_id, x.mode, x.id) >= (p_account_id, p_mode, p_id)
      order by x.account_id, x.mode, x.id limit 1
    ) at
    where at.account_id = p_account_id and at.mode = p_mode and at.id = p_id;
    if found then
      return null;
    end if;
  end if;
  if p_idempotency_key is not null then
    perform from (
      select x.account_id, x.mode, x.idempotency_key from callboard.events x
      where x.idempotency_key is not null
        and (x.account_id, x.mode, x.idempotency_key) >= (p_account_id, p_mode, p_idempotency_key)
      order by x.account_id, x.mode, x.idempotency_key limit 1
    ) at
    where at.account_id = p_account_id and at.mode = p_mode and at.idempotency_key = p_idempotency_key;
    if found then
      return null;
    end if;
  end if;
  if p_sequence is null then
    insert into callboard.subjects as s (account_id, mode, type, id, last) values (p_account_id, p_mode, p_subject_type, p_subject_id, 1)
    on conflict (account_id, mode, type, id) do update set last = s.last + 1
    returning s.last into number;
  end if;
  insert into callboard.events (account_id, mode, id, type, occurred_at, subject_type, subject_id, sequence,
    idempotency_key, digest, body, patch, fingerprint, person_id, trace)
  values (p_account_id, p_mode, p_id, p_type, p_occurred_at, p_subject_type, p_subject_id, number,
    p_idempotency_key, p_digest, p_head || to_json(account_name)::text || p_middle || number || p_tail, p_patch, p_fingerprint, p_person_id, p_trace)
  on conflict do nothing;
  if not found then
    -- Another transaction stored it meanwhile. The counter's row is locked by this one, so nobody has seen its sequence.
    if p_sequence is null then
      update callboard.subjects s set last = s.last - 1
      where s.account_id = p_account_id and s.mode = p_mode and s.type = p_subject_type and s.id = p_subject_id;
    end if;
    return null;
  end if;
  insert into callboard.outbox (event_id, account_id, mode, type) values (p_id, p_account_id, p_mode, p_type);
  return number;
end $$;

-- As in 0005, with traces.
create function callboard.publish_events(
  p_account_id text[], p_mode text[], p_id uuid[], p_type text[], p_occurred_at timestamptz[], p_subject_type text[],
  p_subject_id text[], p_sequence bigint[], p_head text[], p_middle text[], p_tail text[], p_patch text[],
  p_fingerprint text[], p_person_id text[], p_trace text[]
) returns setof bigint language plpgsql as $$
begin
  return query
  with input as materialized (
    select *, count(*) over subject as taken, row_number() over (subject order by n) as rank
    from unnest(p_account_id, p_mode, p_id, p_type, p_occurred_at, p_subject_type, p_subject_id, p_sequence, p_head, p_middle,
      p_tail, p_patch, p_fingerprint, p_person_id, p_trace) with ordinality
      as t(account_id, mode, id, type, occurred_at, subject_type, subject_id, sequence, head, middle, tail, patch, fingerprint, person_id, trace, n)
    window subject as (partition by account_id, mode, subject_type, subject_id, sequence is null)
  ),
  accounts as materialized (
    select i.account_id, to_json(a.name)::text as name
    from (select distinct account_id from input) i left join callboard.accounts a on a.id = i.account_id and a.deleted_at is null
  ),
  counters as (
    insert into callboard.subjects as s (account_id, mode, type, id, last)
    select i.account_id, i.mode, i.subject_type, i.subject_id, i.taken from input i
    where i.sequence is null and i.rank = 1 and not exists (select from accounts a where a.name is null)
    order by i.account_id collate "C", i.mode collate "C", i.subject_type collate "C", i.subject_id collate "C"
    on conflict (account_id, mode, type, id) do update set last = s.last + excluded.last
    returning s.account_id, s.mode, s.type, s.id, s.last
  ),
  stored as (
    insert into callboard.events as e (account_id, mode, id, type, occurred_at, subject_type, subject_id, sequence, body, patch, fingerprint, person_id, trace)
    select i.account_id, i.mode, i.id, i.type, i.occurred_at, i.subject_type, i.subject_id, number,
      i.head || a.name || i.middle || number || i.tail, i.patch, i.fingerprint, i.person_id, i.trace
    from input i
    join accounts a on a.account_id = i.account_id
    left join counters c on c.account_id = i.account_id and c.mode = i.mode and c.type = i.subject_type and c.id = i.subject_id
    cross join lateral coalesce(i.sequence, c.last - i.taken + i.rank) as number
    where not exists (select from accounts a where a.name is null)
    order by i.n
    returning e.account_id, e.mode, e.id, e.type, e.sequence
  ),
  queued as (
    insert into callboard.outbox (event_id, account_id, mode, type) select s.id, s.account_id, s.mode, s.type from stored s
  )
  select s.sequence from input i join stored s on s.account_id = i.account_id and s.mode = i.mode and s.id = i.id order by i.n;
end $$;

-- As in 0008; a lane's event has its trace.
create or replace function callboard.place_and_lease(turn bigint, most int, mark bigint, pending xid8[], awaited xid8[],
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
  select f.*, e.published_at, e.xid, e.body, e.patch, e.fingerprint, e.trace into event
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
        'event_id', event.event_id, 'type', event.type, 'body', event.body, 'patch', case when c.personal_data then event.patch end, 'fingerprint', event.fingerprint, 'trace', event.trace
      ) end as lane
    )
    select n, through, running, unended, whole, exists (select from chosen c where not c.leased), w.lane from woken w where w.lane is not null;
  if not found then
    rest := true;
    return next;
  end if;
end $$;
