import { ERASED_PREFIX } from '@callboard/core/store'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { RowArrays } from '../sql/rows-of.ts'
import { firstOfSubject } from './first-of-subject.ts'
import { isLane, sameLane } from './lane-key.ts'
import { ATTEMPTS, ENDED, RETRIES, SETTLED_LISTS, SUBJECTS } from './settled-lists.ts'

/** SQL for the rows of a list, each with its lane `l`. If the lane's lease is lost, all columns of `l` are null. */
const ofLanes = (list: RowArrays, row: string): string =>
  `${list.rows(row)} cross join lateral (select (held[${row}.lane]).*) l`

const SUBSCRIPTION = rowByKey('subscriptions', { account_id: 'l.account_id', mode: 'l.mode', id: 'l.subscription_id' })

const FIRST_ATTEMPT = rowByKey('attempts', {
  account_id: 'lane.account_id',
  mode: 'lane.mode',
  subscription_id: 'lane.subscription_id',
  id: 'attempts_id[array_position(attempts_lane, i)]',
})

const ofEvent = (table: string, event: string): string =>
  rowByKey(table, { account_id: 'l.account_id', mode: 'l.mode', event_id: event })

const retryOf = (event: string): string =>
  rowByKey('retries', {
    account_id: 'l.account_id',
    mode: 'l.mode',
    subscription_id: 'l.subscription_id',
    event_id: event,
  })

const insertEnded = (list: RowArrays, row: string, values: { readonly state: string; readonly attempts: string }) => `
    insert into callboard.ended_deliveries (account_id, mode, subscription_id, event_id, state, attempts, position)
    select l.account_id, l.mode, l.subscription_id, ${row}.event_id, ${values.state}, ${values.attempts}, f.position
    from ${ofLanes(list, row)}
    left join lateral ${ofEvent('feed', `${row}.event_id`)} f on true`

/** The columns of a lane that a settlement changes. */
const CHANGED = [
  'state',
  'settled_through',
  'backfill_state',
  'backfill_reached',
  'worker',
  'leased_until',
  'epoch',
  'claims',
  'nudged',
  'breaker_failures',
  'slow',
  'failed_attempts',
  'failing_since',
  'reported',
  'hour',
  'hour_delivered',
  'hour_failed',
  'hour_ms',
]

/**
 * Settles lanes as core's `settled` says. Locks the lanes in key order, decides what becomes of each, and then writes
 * all of it, one step after another. Each step sees what was committed before the locks were granted, and what the
 * earlier steps wrote. A lane whose epoch is no longer that of the lease is left alone, and has no row in the result. A
 * row 0 says when the first of the lanes is due again, if any is.
 *
 * In the other lists, `lane` is the place of a lane in `lanes_…`, from 1.
 *
 * The generic plans are made while tables are small, and kept when they have grown. So each row is looked up by its
 * whole key or its row id, and hash and merge joins are off, like sequential scans: a join with the retries read all
 * retries of the lane, or of all lanes.
 */
export const settleLanesFunction: DatabaseFunction = {
  name: 'settle_lanes',
  text: `
create or replace function callboard.settle_lanes(
  ${SETTLED_LISTS.map(({ declared }) => declared).join(',\n  ')},
  failing_attempts int, failing_ms float8, report_attempts int, report_ms float8
) returns table (n int, disable_reason text, report text, since float8, attempts int, due_in_ms float8)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  now timestamptz;
  next_due timestamptz;                      -- when the first of the lanes is due again
  this_hour int;
  held callboard.lanes[];                    -- as they were locked; null: the lease is lost
  row_ids tid[];                             -- where their rows are; nobody else can change a locked row
  settled callboard.lanes[];                 -- as they will be
  lane callboard.lanes;
  was_skipped boolean;
  is_part boolean;                           -- attempts of a visit whose other requests are open
  any_skipped boolean := false;
  disable_reasons text[] := '{}';                   -- why a lane's subscription is disabled; null: it is not
  finished callboard.lanes[] := '{}';        -- those whose counted hour is over
begin
  with input as (
    select * from unnest(lanes_account_id, lanes_mode, lanes_subscription_id, lanes_epoch)
      with ordinality as i(account_id, mode, subscription_id, epoch, n)
    order by account_id collate "C", mode collate "C", subscription_id
  ),
  -- Lanes are locked one by one, because a join read every dead version.
  locked as materialized (
    select i.n, l.lane, l.row_id from input i
    left join lateral (
      select x as lane, x.ctid as row_id from callboard.lanes x
      where ${isLane('x', 'i', 'between i.epoch and i.epoch')} and x.state in ('leased', 'disabled')
      order by x.epoch limit 1 for update
    ) l on true
  )
  select array_agg(k.lane order by k.n), array_agg(k.row_id order by k.n) into held, row_ids from locked k;
  now := callboard.clock();
  this_hour := floor(extract(epoch from now) / 3600);
  settled := held;

  for i in 1 .. coalesce(cardinality(held), 0) loop
    lane := held[i];
    continue when lane.epoch is null;
    n := i;
    disable_reason := null;
    report := null;
    is_part := lanes_keep[i] and i = any (attempts_lane);
    -- The worker sends a part again if it has lost the answer. It is written once.
    if is_part and exists (select from ${FIRST_ATTEMPT} a) then
      held[i] := null;
      row_ids[i] := null;
      settled[i] := null;
      return next;
      continue;
    end if;
    was_skipped := coalesce(lane.skipped_epoch = lane.epoch, false);
    any_skipped := any_skipped or was_skipped;
    lane.settled_through := greatest(lane.settled_through, lanes_settled_through[i]);
    if lane.backfill_state = 'running' and lane.backfill_reached = lanes_backfill_after[i] then
      lane.backfill_reached := lanes_backfill_through[i];
      if lane.backfill_reached >= lane.backfill_to then
        lane.backfill_state := 'done';
      end if;
    end if;
    lane.breaker_failures := lanes_breaker_failures[i];
    lane.slow := lanes_slow[i];
    -- If all deliveries of a lease were waiting, nothing was sent, so the lease cannot have crashed its worker.
    -- After a part of a visit, a delivery that is still open can crash the worker.
    lane.claims := case
      when lanes_only_waiting[i] then greatest(lane.claims - 1, 0)
      when is_part then lane.claims
      else 0
    end;

    -- Count the hour. It never goes back, even if the database's clock does.
    if lanes_now_delivered[i] + lanes_now_failed[i] > 0 then
      if lane.hour < this_hour then
        finished := finished || lane;
        lane.hour_delivered := 0;
        lane.hour_failed := 0;
        lane.hour_ms := 0;
      end if;
      lane.hour := greatest(lane.hour, this_hour);
      lane.hour_delivered := lane.hour_delivered + lanes_now_delivered[i];
      lane.hour_failed := lane.hour_failed + lanes_now_failed[i];
      lane.hour_ms := lane.hour_ms + lanes_now_ms[i];
    end if;

    -- Count failures, and judge the subscription by them.
    if lane.state <> 'disabled' then
      disable_reason := lanes_disable[i];
    end if;
    if lanes_succeeded[i] then
      if lane.reported and lane.state <> 'disabled' and disable_reason is null then
        report := 'recovered';
      end if;
      lane.failed_attempts := 0;
      lane.failing_since := null;
      lane.reported := false;
    elsif lanes_failed[i] > 0 then
      lane.failed_attempts := lane.failed_attempts + lanes_failed[i];
      lane.failing_since := coalesce(lane.failing_since, now);
      if lane.state <> 'disabled' and disable_reason is null then
        if lane.failed_attempts >= failing_attempts
          and lane.failing_since <= now - failing_ms * interval '1 ms'
        then
          disable_reason := 'failing';
        elsif not lane.reported and (
          lane.failed_attempts >= report_attempts or lane.failing_since <= now - report_ms * interval '1 ms'
        ) then
          report := 'failing';
          lane.reported := true;
        end if;
      end if;
    end if;

    if not lanes_keep[i] then
      lane.worker := null;
      lane.leased_until := null;
      if lane.state = 'disabled' then
        lane.epoch := lane.epoch + 1;
      else
        lane.state := case when lanes_pause_ms[i] > 0 then 'paused' else 'idle' end;
        lane.wake_at := case
          -- The failed attempts were sent before somebody resent, skipped or enabled, and the target may have been
          -- repaired since.
          when lane.state = 'paused' and (lane.nudged or was_skipped) then now
          when lane.state = 'paused' then now + lanes_pause_ms[i] * interval '1 ms'
          when lane.nudged then now
          when lane.head > lane.settled_through or lane.backfill_state = 'running'
            then now + lanes_postpone_ms[i] * interval '1 ms'
        end;
      end if;
      lane.nudged := false;
    end if;
    disable_reasons[i] := disable_reason;

    settled[i] := lane;
    since := extract(epoch from lane.failing_since) * 1000;
    attempts := lane.failed_attempts;
    return next;
  end loop;

  -- Record attempts. A response may repeat its event, so it is dropped if the event was erased since it was sent. A
  -- later erasure waits for this lock, and then finds the response. If the event is being erased or removed, the
  -- response is dropped too, because waiting could end in a deadlock.
  insert into callboard.attempts
    (account_id, mode, subscription_id, id, event_id, number, outcome, status, reason,
    started_at, duration_ms, response)
  select l.account_id, l.mode, l.subscription_id, a.id, a.event_id, a.number, a.outcome, a.status, a.reason,
    now - a.duration_ms * interval '1 ms', a.duration_ms,
    case when a.response = '' then '' when a.response is not null and (
      select e.fingerprint
      from ${eventByKey('l.account_id', 'l.mode', 'a.event_id', 'for share skip locked')} e
    ) not like '${ERASED_PREFIX}%' then a.response end
  from ${ofLanes(ATTEMPTS, 'a')}
  where l.epoch is not null;

  -- Store the counts of hours that are over. A settle must not fail because of a count. Nobody else writes the row of a
  -- lane's day, because the lane is locked.
  if cardinality(finished) > 0 then
    insert into callboard.lane_hours (account_id, mode, subscription_id, hour, delivered, failed, duration_ms)
    select l.account_id, l.mode, l.subscription_id, l.hour, l.hour_delivered, l.hour_failed, l.hour_ms
    from unnest(finished) l
    on conflict do nothing;
    insert into callboard.lane_days as d (account_id, mode, subscription_id, day, delivered, failed, duration_ms)
    select l.account_id, l.mode, l.subscription_id, l.hour / 24, l.hour_delivered, l.hour_failed, l.hour_ms
    from unnest(finished) l
    on conflict (account_id, mode, subscription_id, day) do update
    set delivered = d.delivered + excluded.delivered, failed = d.failed + excluded.failed,
      duration_ms = d.duration_ms + excluded.duration_ms;
  end if;

  -- End deliveries. One that somebody resent during the lease ends only if it was delivered.
  delete from callboard.retries where ctid = any (array(
    select r.row_id from ${ofLanes(ENDED, 'd')}
    cross join lateral ${retryOf('d.event_id')} r
    where d.delivered or r.resent_epoch is distinct from l.epoch
  ));
  if attempts_outcome && '{exhausted,expired,gone}' then
    ${insertEnded(ATTEMPTS, 'a', {
      state: `case a.outcome when 'gone' then 'disabled' else a.outcome end`,
      attempts: 'a.number',
    }).trim()}
    where l.epoch is not null and a.outcome in ('exhausted', 'expired', 'gone')
      and not exists (select from ${retryOf('a.event_id')} r)
    on conflict (account_id, mode, subscription_id, event_id) do update
    set state = excluded.state, attempts = excluded.attempts, ended_at = excluded.ended_at,
      position = excluded.position;
  end if;

  -- Retry deliveries. If all pending deliveries were ended during the lease, these stay ended, except those that somebody
  -- resent since. One that was retrying then has a row already, which keeps its state.
  if any_skipped then
    ${insertEnded(RETRIES, 'a', { state: 'l.skipped_as', attempts: 'a.attempts' }).trim()}
    where l.skipped_epoch = l.epoch and not exists (select from ${retryOf('a.event_id')} r)
    on conflict (account_id, mode, subscription_id, event_id) do update set attempts = excluded.attempts;
  end if;
  if cardinality(retries_lane) > 0 then
    insert into callboard.retries
      (account_id, mode, subscription_id, event_id, attempts, suspect, redacted, manual, subject, position, due_at,
      asked_at)
    select l.account_id, l.mode, l.subscription_id, a.event_id, a.attempts, a.suspect, a.redacted, a.manual,
      e.subject_type || ' ' || e.subject_id, f.position,
      now + case
        when r.resent_epoch = l.epoch then 0
        -- Only an event that exists has a subject to wait for.
        when e.id is null then coalesce(a.delay_ms, 0)
        else a.delay_ms
      end * interval '1 ms',
      -- After an attempt, the delivery no longer goes before others, unless somebody resent it during that attempt.
      case when r.resent_epoch = l.epoch or r.attempts = a.attempts then r.asked_at end
    from ${ofLanes(RETRIES, 'a')}
    left join lateral ${retryOf('a.event_id')} r on true
    left join lateral ${eventByKey('l.account_id', 'l.mode', 'a.event_id')} e on true
    left join lateral ${ofEvent('feed', 'a.event_id')} f on true
    where l.epoch is not null and (l.skipped_epoch is distinct from l.epoch or r.event_id is not null)
    on conflict (account_id, mode, subscription_id, event_id) do update
    set attempts = excluded.attempts, suspect = excluded.suspect, redacted = excluded.redacted,
      due_at = excluded.due_at, asked_at = excluded.asked_at;
  end if;

  with written as (
    update callboard.lanes l
    set ${CHANGED.map((column) => `${column} = j.${column}`).join(', ')},
      -- The wake time is never in the past, because a scan for due lanes continues where the last one ended, and would
      -- miss an earlier time.
      wake_at = case when j.state = 'idle' and j.wake_at is null then (
        select greatest(r.due_at, now) from callboard.retries r
        where ${sameLane('r', 'j')} and r.due_at is not null
        order by r.due_at limit 1
      ) else j.wake_at end
    from unnest(settled) with ordinality j
    where l.ctid = row_ids[j.ordinality]
    returning case when l.state <> 'leased' and disable_reasons[j.ordinality] is null then l.wake_at end as wake_at
  )
  select min(wake_at) into next_due from written;

  -- Disable subscriptions.
  for i in 1 .. coalesce(cardinality(held), 0) loop
    continue when disable_reasons[i] is null;
    lane := settled[i];
    perform callboard.disable_subscription(lane.account_id, lane.mode, lane.subscription_id, disable_reasons[i], '{}');
    insert into callboard.audit_entries (actor, action, account_id, mode, object_id, details)
    values ('worker', 'subscription.disabled', lane.account_id, lane.mode, lane.subscription_id,
      jsonb_build_object('reason', disable_reasons[i]));
  end loop;

  -- Free subjects: makes the first retry of each due if it waits for an earlier event. If the subscription no longer
  -- keeps an order, makes all of them due.
  if cardinality(subjects_lane) > 0 then
    with touched as materialized (
      select l.account_id, l.mode, l.subscription_id, l.epoch, t.subject, s.ordering
      from ${SUBJECTS.rows('t')} cross join lateral (select (settled[t.lane]).*) l
      cross join lateral ${SUBSCRIPTION} s
      where l.state <> 'disabled' and disable_reasons[t.lane] is null
    ),
    freed as (
      update callboard.retries r set due_at = now where r.ctid = any (array(
        select f.row_id from touched t cross join lateral ${firstOfSubject('t', 't.subject')} f
        where t.ordering = 'subject' and f.due_at is null
        union all
        select x.ctid from touched t join callboard.retries x on ${sameLane('x', 't')} and x.subject = t.subject
        where t.ordering = 'none' and x.due_at is null
      ))
      returning r.account_id, r.mode, r.subscription_id
    )
    update callboard.lanes l set wake_at = least(l.wake_at, now)
    from (
      select distinct t.account_id, t.mode, t.subscription_id, t.epoch from touched t
      join freed f on ${sameLane('f', 't')}
    ) w
    where ${isLane('l', 'w', '= w.epoch')} and l.state = 'idle';
    if found then
      next_due := now;
    end if;
  end if;

  if next_due is not null then
    n := 0;
    due_in_ms := greatest(0, ceil(extract(epoch from next_due - now) * 1000));
    return next;
  end if;
end $$`,
}
