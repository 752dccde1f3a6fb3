import type { DisabledReason } from '@callboard/core'
import { ERASED_PREFIX } from '@callboard/core/store'
import { eventByKey } from '../fragments/event-by-key.ts'
import { isLane, sameLane } from '../fragments/lane-key.ts'
import { RAISED_EPOCH } from '../fragments/raised-epoch.ts'
import { rowByKey } from '../fragments/row-by-key.ts'
import { ATTEMPTS, ENDED, LANES, RETRIES, type SettleParameters } from './settle-parameters.ts'
import type { Statement } from './statement.ts'

export interface SettleRow {
  /** Number of the lane in the input, from 1. A lane whose lease was lost has no row in the result. */
  n: number
  account_id: string
  mode: 'live' | 'test'
  subscription_id: string
  verdict: DisabledReason | null
  report: 'failing' | 'recovered' | null
  /** When the first attempt after the last success failed, and how many attempts have failed since that success. */
  since: number
  attempts: number
}

/** SQL for the feed's row of an event, in the account and mode of lane `h`. It has the event's position. */
const positionOf = (eventId: string): string =>
  rowByKey('feed', { account_id: 'h.account_id', mode: 'h.mode', event_id: eventId })

const RETRY_OF_ATTEMPT = rowByKey('retries', {
  account_id: 'h.account_id',
  mode: 'h.mode',
  subscription_id: 'h.subscription_id',
  event_id: 'a.event_id',
})

/**
 * SQL for the due time of the lane's next retry, apart from those that this settle writes or ends. With `min(due_at)`,
 * Postgres read all the lane's retries by key: 2,978 blocks where 2,945 events were waiting.
 */
const NEXT_RETRY = `
          select greatest(r.due_at, callboard.clock()) from callboard.retries r
          where ${sameLane('r', 'j')} and r.due_at is not null
            and not exists (select from retry x where x.lane = j.n and x.event_id = r.event_id)
            and not exists (select from ended x where x.n = j.n and x.event_id = r.event_id)
          order by r.due_at limit 1`

/**
 * Records attempts, retries, cursor and health of many lanes in one statement, and so in one commit. Lanes are locked
 * in key order. If a lane's epoch is no longer that of the lease, nothing is recorded for it. If the lane was disabled
 * meanwhile, its attempts are recorded and it stays disabled. If its pending deliveries were ended meanwhile
 * (`skipped`), those whose attempts failed stay ended.
 *
 * `head` and `nudged` are read from the updated row, after the wait for its lock: a subquery would read them as they
 * were before that wait, and a wake-up could be lost. Likewise, the delete tests `resent_epoch` on the newest version
 * of the retry's row, so that a retry that was resent meanwhile is deleted only if the event was delivered.
 */
export const settle: Statement<SettleRow, SettleParameters> = {
  name: 'settle',
  text: `
with input as materialized (
  select * from ${LANES}
),
held as materialized (
  select i.*, l.hour, l.hour_delivered, l.hour_failed, l.hour_ms,
    -- The hour never goes back, even if the database's clock does.
    case
      when i.now_delivered + i.now_failed > 0
        then greatest(l.hour, floor(extract(epoch from callboard.clock()) / 3600)::int)
      else l.hour
    end as this_hour,
    l.failed_attempts, l.failing_since, l.reported, l.state = 'disabled' as is_disabled,
    coalesce(l.skipped_epoch = l.epoch, false) as skipped, l.skipped_as
  from (select * from input order by account_id collate "C", mode collate "C", subscription_id) i
  -- Lanes are locked one by one, in this order, because a join read every dead version.
  cross join lateral (
    select x.* from callboard.lanes x
    where ${isLane('x', 'i', 'between i.epoch and i.epoch')} and x.state in ('leased', 'disabled')
    order by x.epoch limit 1 for update
  ) l
  -- Always true: this condition lowers the planner's row estimate, so that the steps below look rows up by key.
  where l.epoch = i.epoch
),
judged as materialized (
  select h.*, case when not h.is_disabled then coalesce(h.disable, case
    when not h.succeeded and h.failed > 0 and h.failed_attempts + h.failed >= :failingAttempts::int
      and h.failing_since <= callboard.clock() - :failingMs::float8 * interval '1 ms' then 'failing'
  end) end as verdict,
  case
    when h.is_disabled then null
    when h.succeeded then case when h.reported then 'recovered' end
    when not h.reported and h.failed > 0 and (h.failed_attempts + h.failed >= :reportAttempts::int
      or h.failing_since <= callboard.clock() - :reportMs::float8 * interval '1 ms') then 'failing'
  end as report
  from held h
),
attempt as (
  select * from ${ATTEMPTS}
),
retry as materialized (
  select * from ${RETRIES}
),
ended as materialized (
  select h.n, h.account_id, h.mode, h.subscription_id, h.epoch, ended.event_id, ended.delivered
  from ${ENDED}
  join held h on h.n = ended.lane
),
logged as (
  insert into callboard.attempts
    (account_id, mode, subscription_id, id, event_id, number, outcome, status, reason,
    started_at, duration_ms, response)
  select h.account_id, h.mode, h.subscription_id, a.id, a.event_id, a.number, a.outcome, a.status, a.reason,
    callboard.clock() - a.duration_ms * interval '1 ms', a.duration_ms,
    -- A response may repeat its event. So if the event has been erased since it was sent, the response is dropped. The
    -- lock reads the newest version of the event. A later erasure waits for this lock, and then finds the response. If
    -- the event is being erased or removed, the response is dropped too, because waiting could end in a deadlock.
    case when a.response = '' then '' when a.response is not null and (
      select e.fingerprint
      from ${eventByKey('h.account_id', 'h.mode', 'a.event_id', 'for share skip locked')} e
    ) not like '${ERASED_PREFIX}%' then a.response end
  from attempt a join held h on h.n = a.lane
),
-- When the first attempt in a new hour is counted, stores the counts of the lane's last hour.
finished as (
  insert into callboard.lane_hours (account_id, mode, subscription_id, hour, delivered, failed, duration_ms)
  select h.account_id, h.mode, h.subscription_id, h.hour, h.hour_delivered, h.hour_failed, h.hour_ms
  from held h where h.hour < h.this_hour
  -- A settle must not fail because of a count.
  on conflict do nothing
),
-- Only one settle at a time holds the lane's lock, so no other settle writes the row of the lane's day.
summed as (
  insert into callboard.lane_days as d (account_id, mode, subscription_id, day, delivered, failed, duration_ms)
  select h.account_id, h.mode, h.subscription_id, h.hour / 24, h.hour_delivered, h.hour_failed, h.hour_ms
  from held h where h.hour < h.this_hour
  on conflict (account_id, mode, subscription_id, day) do update
  set delivered = d.delivered + excluded.delivered, failed = d.failed + excluded.failed,
    duration_ms = d.duration_ms + excluded.duration_ms
),
closed as (
  delete from callboard.retries r using ended d
  where ${sameLane('r', 'd')} and r.event_id = d.event_id
    and (d.delivered or r.resent_epoch is distinct from d.epoch)
  returning d.n, r.event_id
),
unsuccessful as (
  insert into callboard.ended_deliveries
    (account_id, mode, subscription_id, event_id, state, attempts, position)
  select h.account_id, h.mode, h.subscription_id, a.event_id,
    case a.outcome when 'gone' then 'disabled' else a.outcome end, a.number, f.position
  from attempt a
  join held h on h.n = a.lane
  left join lateral ${positionOf('a.event_id')} f on true
  where a.outcome in ('exhausted', 'expired', 'gone') and (
    exists (select from closed c where c.n = a.lane and c.event_id = a.event_id)
    or not exists (select from ${RETRY_OF_ATTEMPT} r)
  )
  on conflict (account_id, mode, subscription_id, event_id) do update
  set state = excluded.state, attempts = excluded.attempts, ended_at = excluded.ended_at, position = excluded.position
),
skipped_retries as (
  insert into callboard.ended_deliveries
    (account_id, mode, subscription_id, event_id, state, attempts, position)
  select h.account_id, h.mode, h.subscription_id, a.event_id, h.skipped_as, a.attempts, f.position
  from retry a
  join held h on h.n = a.lane and h.skipped
  left join lateral ${positionOf('a.event_id')} f on true
  -- A delivery that was retrying when it ended has a row already, which keeps its state.
  on conflict (account_id, mode, subscription_id, event_id) do update set attempts = excluded.attempts
),
retried as (
  insert into callboard.retries as r
    (account_id, mode, subscription_id, event_id, attempts, due_at, suspect, redacted, subject, position)
  select h.account_id, h.mode, h.subscription_id, a.event_id, a.attempts,
    -- Only an event that exists has a subject to wait for.
    callboard.clock() + case when e.id is null then coalesce(a.delay_ms, 0) else a.delay_ms end * interval '1 ms',
    a.suspect, a.redacted, e.subject_type || ' ' || e.subject_id, f.position
  from retry a
  join held h on h.n = a.lane and not h.skipped
  left join lateral ${eventByKey('h.account_id', 'h.mode', 'a.event_id')} e on true
  left join lateral ${positionOf('a.event_id')} f on true
  on conflict (account_id, mode, subscription_id, event_id) do update
  set attempts = excluded.attempts, suspect = excluded.suspect, redacted = excluded.redacted,
    due_at = case
      when r.resent_epoch = (select h.epoch from held h where ${sameLane('h', 'r')}) then callboard.clock()
      else excluded.due_at
    end,
    -- After an attempt, the delivery no longer goes before others, unless somebody resent it during that attempt.
    asked_at = case
      when r.asked_at is null then null
      when r.attempts = excluded.attempts then r.asked_at
      when r.resent_epoch = (select h.epoch from held h where ${sameLane('h', 'r')}) then r.asked_at
    end
),
disabled as (
  update callboard.subscriptions s
  set state = 'disabled', disabled_reason = j.verdict, changed_at = callboard.clock()
  from judged j
  where j.verdict is not null and s.account_id = j.account_id and s.mode = j.mode and s.id = j.subscription_id
    and s.state = 'active'
  returning s.account_id, s.mode, s.id, s.disabled_reason
),
recorded as (
  insert into callboard.audit_entries (actor, action, account_id, mode, object_id, details)
  select 'worker', 'subscription.disabled', account_id, mode, id, jsonb_build_object('reason', disabled_reason)
  from disabled
),
unmatched as (
  delete from callboard.subscription_types t using judged j, callboard.subscriptions s
  where j.verdict is not null and s.account_id = j.account_id and s.mode = j.mode and s.id = j.subscription_id
    and t.account_id = s.account_id and t.mode = s.mode and t.type = any (s.event_types) and t.subscription_id = s.id
),
released as (
  update callboard.lanes l
  set cursor = greatest(l.cursor, j.cursor), failures = j.failures, slow = j.slow,
    -- If all deliveries of a lease were blocked, nothing was sent. Such a lease cannot have crashed its worker, so it
    -- is not counted.
    claims = case
      when exists (select from retry x where x.lane = j.n and x.delay_ms is null)
        and not exists (select from attempt x where x.lane = j.n) then greatest(l.claims - 1, 0)
      else 0
    end,
    hour = j.this_hour,
    hour_delivered = case when l.hour = j.this_hour then l.hour_delivered else 0 end + j.now_delivered,
    hour_failed = case when l.hour = j.this_hour then l.hour_failed else 0 end + j.now_failed,
    hour_ms = case when l.hour = j.this_hour then l.hour_ms else 0 end + j.now_ms,
    failed_attempts = case when j.succeeded then 0 else l.failed_attempts + j.failed end,
    reported = not j.succeeded and (l.reported or coalesce(j.report = 'failing', false)),
    failing_since = case
      when j.succeeded then null
      when j.failed > 0 then coalesce(l.failing_since, callboard.clock())
      else l.failing_since
    end,
    state = case
      when j.is_disabled or j.verdict is not null then 'disabled'
      when j.keep then 'leased'
      when j.pause_ms > 0 then 'paused'
      else 'idle'
    end,
    worker = case when j.keep then l.worker end,
    leased_until = case
      when not j.keep then null
      when j.verdict is not null then l.wake_at
      else l.leased_until
    end,
    epoch = case
      when (j.is_disabled or j.verdict is not null) and not j.keep then ${RAISED_EPOCH}
      else l.epoch
    end,
    nudged = l.nudged and j.keep,
    wake_at = case
      when j.is_disabled or j.verdict is not null then null
      when j.keep then l.wake_at
      -- The pause is 0 if somebody resent, skipped or enabled during the lease: the failed attempts were sent before
      -- that, and the target may have been repaired since.
      when j.pause_ms > 0
        then callboard.clock() + case when l.nudged or j.skipped then 0 else j.pause_ms end * interval '1 ms'
      when l.nudged then callboard.clock()
      when l.head > greatest(l.cursor, j.cursor) then callboard.clock() + j.hold_ms * interval '1 ms'
      -- The wake time is never in the past, because a scan for due lanes continues where the last one ended, and would
      -- miss an earlier time.
      else least((${NEXT_RETRY}
        ),
        (
          select callboard.clock() + min(x.delay_ms) * interval '1 ms' from retry x
          where x.lane = j.n and not j.skipped
        )
      )
    end
  from judged j where ${isLane('l', 'j', '= j.epoch')}
)
select n::int as n, account_id, mode, subscription_id::text as subscription_id, verdict, report,
  extract(epoch from coalesce(failing_since, callboard.clock()))::float8 * 1000 as since,
  (failed_attempts + failed)::int as attempts
from judged`,
}
