import type { DisabledReason } from '@callboard/core'
import { ERASED_FINGERPRINT } from '@callboard/core/store'
import { eventByKey } from './event-by-key.ts'
import { laneFrom } from './lane-from.ts'
import { RAISED_EPOCH } from './raised-epoch.ts'
import { rowByKey } from './row-by-key.ts'
import type { Statement } from './statement.ts'

/** SQL of where an event of lane `lane` is in the feed. */
const placeOf = (lane: string, eventId: string): string =>
  rowByKey('feed', { account_id: `${lane}.account_id`, mode: `${lane}.mode`, event_id: eventId })

export interface SettleRow {
  /** Place of the lane in the input, from 1; a lane that is missing had lost its lease. */
  n: number
  account_id: string
  mode: 'live' | 'test'
  subscription_id: string
  verdict: DisabledReason | null
}

/**
 * Attempts, retries, cursor and health of many lanes in one statement and so in one commit; lanes locked in key order, and
 * everything only for those whose epoch still is the lease's: no row, no effect. One that
 * was disabled meanwhile stays so, and what was sent is written down all the same. `head` and `nudged` are read from the row
 * that is being updated: a subquery would show them as they were before the wait for its lock, and lose a wake-up. So is `resent_epoch`:
 * a delete looks at the newest version of a row that somebody changed, and what it spared was asked for by hand meanwhile.
 *
 * The next retry is asked for as the first in the order of its time: asked for as a minimum, all of the lane's retries were read
 * by their key, 2,978 blocks where 2,945 events waited.
 *
 * A retry without a delay waits for an earlier event of its subject. With nothing but such found, the visit tells nothing of what
 * may end a worker, and is not counted as a claim.
 */
export const settle: Statement<SettleRow> = {
  name: 'settle',
  text: `
with input as materialized (
  select * from unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[], $5::bigint[], $6::int[], $7::boolean[], $8::int[], $9::boolean[], $10::float8[], $11::text[], $12::boolean[], $33::int[], $34::int[])
    with ordinality as t(account_id, mode, subscription_id, epoch, cursor, failures, succeeded, failed, slow, pause_ms, disable, keep, now_delivered, now_failed, n)
),
held as materialized (
  select i.*, l.hour, l.hour_delivered, l.hour_failed,
    -- Never back, should the database's clock go back.
    case when i.now_delivered + i.now_failed > 0 then greatest(l.hour, floor(extract(epoch from callboard.clock()) / 3600)::int) else l.hour end as this_hour,
    l.failed_tries, l.failing_since, l.state = 'disabled' as stopped, coalesce(l.skipped_epoch = l.epoch, false) as skipped
  from (select * from input order by account_id collate "C", mode collate "C", subscription_id) i
  -- One by one, in this order. Joined, all versions of all lanes were read: the planner takes the table for as small as it once was.
  cross join lateral (
    select x.* from callboard.lanes x where ${laneFrom('x', 'i', 'between i.epoch and i.epoch')} and x.state in ('leased', 'disabled')
    order by x.epoch limit 1 for update
  ) l
  -- Said again, so that few lanes are expected: what follows is then looked up by its keys.
  where l.epoch = i.epoch
),
judged as materialized (
  select h.*, case when not h.stopped then coalesce(h.disable, case
    when not h.succeeded and h.failed > 0 and h.failed_tries + h.failed >= $28::int and h.failing_since <= callboard.clock() - $29::float8 * interval '1 ms' then 'failing'
  end) end as verdict
  from held h
),
attempt as (
  select * from unnest($13::int[], $14::uuid[], $15::uuid[], $16::int[], $17::text[], $18::int[], $19::text[], $20::int[], $21::text[])
    as t(n, id, event_id, number, outcome, status, reason, duration_ms, response)
),
again as materialized (
  select * from unnest($22::int[], $23::uuid[], $24::int[], $25::float8[], $26::boolean[], $27::boolean[]) as t(n, event_id, tries, delay_ms, suspect, redacted)
),
ended as materialized (
  select h.n, h.account_id, h.mode, h.subscription_id, h.epoch, t.event_id, t.delivered
  from unnest($30::int[], $31::uuid[], $32::boolean[]) as t(n, event_id, delivered) join held h on h.n = t.n
),
logged as (
  insert into callboard.attempts (account_id, mode, subscription_id, id, event_id, number, outcome, status, reason, started_at, duration_ms, response)
  select h.account_id, h.mode, h.subscription_id, a.id, a.event_id, a.number, a.outcome, a.status, a.reason,
    callboard.clock() - a.duration_ms * interval '1 ms', a.duration_ms,
    -- Not of an event that was erased since it was sent: it may repeat what it was sent.
    case when a.response is not null and (
      select e.fingerprint from ${eventByKey('h.account_id', 'h.mode', 'a.event_id')} e
    ) is distinct from '${ERASED_FINGERPRINT}' then a.response end
  from attempt a join held h on h.n = a.n
),
-- The hour before, once an attempt is counted in another one.
finished as (
  insert into callboard.lane_hours (account_id, mode, subscription_id, hour, delivered, failed)
  select h.account_id, h.mode, h.subscription_id, h.hour, h.hour_delivered, h.hour_failed from held h where h.hour < h.this_hour
  -- No settle fails for what is only told to people.
  on conflict do nothing
),
closed as (
  delete from callboard.retries r using ended d
  where r.account_id = d.account_id and r.mode = d.mode and r.subscription_id = d.subscription_id and r.event_id = d.event_id
    and (d.delivered or r.resent_epoch is distinct from d.epoch)
  returning d.n, r.event_id
),
unsuccessful as (
  insert into callboard.ended_deliveries (account_id, mode, subscription_id, event_id, state, tries, position)
  select h.account_id, h.mode, h.subscription_id, a.event_id, case a.outcome when 'gone' then 'disabled' else a.outcome end, a.number, f.position
  from attempt a join held h on h.n = a.n left join lateral ${placeOf('h', 'a.event_id')} f on true where a.outcome in ('exhausted', 'expired', 'gone')
    and (exists (select from closed c where c.n = a.n and c.event_id = a.event_id) or not exists (
      select from ${rowByKey('retries', { account_id: 'h.account_id', mode: 'h.mode', subscription_id: 'h.subscription_id', event_id: 'a.event_id' })} r))
  on conflict (account_id, mode, subscription_id, event_id) do update set state = excluded.state, tries = excluded.tries, ended_at = excluded.ended_at, position = excluded.position
),
passed as (
  insert into callboard.ended_deliveries (account_id, mode, subscription_id, event_id, state, tries, position)
  select h.account_id, h.mode, h.subscription_id, a.event_id, 'skipped', a.tries, f.position
  from again a join held h on h.n = a.n and h.skipped left join lateral ${placeOf('h', 'a.event_id')} f on true
  on conflict (account_id, mode, subscription_id, event_id) do update set tries = excluded.tries
),
retried as (
  insert into callboard.retries as r (account_id, mode, subscription_id, event_id, tries, due_at, suspect, redacted, subject, position)
  select h.account_id, h.mode, h.subscription_id, a.event_id, a.tries, 
    -- What waits for others of its subject must have one: that of an event which is gone is not known.
    callboard.clock() + case when e.id is null then coalesce(a.delay_ms, 0) else a.delay_ms end * interval '1 ms', a.suspect, a.redacted, e.subject_type || ' ' || e.subject_id, f.position
  from again a join held h on h.n = a.n and not h.skipped
  left join lateral ${eventByKey('h.account_id', 'h.mode', 'a.event_id')} e on true
  left join lateral ${placeOf('h', 'a.event_id')} f on true
  on conflict (account_id, mode, subscription_id, event_id) do update set tries = excluded.tries, suspect = excluded.suspect, redacted = excluded.redacted,
    due_at = case when r.resent_epoch = (select h.epoch from held h where h.account_id = r.account_id and h.mode = r.mode and h.subscription_id = r.subscription_id)
      then callboard.clock() else excluded.due_at end
),
disabled as (
  update callboard.subscriptions s set state = 'disabled', disabled_reason = j.verdict, changed_at = callboard.clock()
  from judged j where j.verdict is not null and s.account_id = j.account_id and s.mode = j.mode and s.id = j.subscription_id and s.state = 'active'
),
unmatched as (
  delete from callboard.subscription_types t using judged j, callboard.subscriptions s
  where j.verdict is not null and s.account_id = j.account_id and s.mode = j.mode and s.id = j.subscription_id
    and t.account_id = s.account_id and t.mode = s.mode and t.type = any (s.event_types) and t.subscription_id = s.id
),
released as (
  update callboard.lanes l set
    cursor = greatest(l.cursor, j.cursor), failures = j.failures, slow = j.slow,
    claims = case when exists (select from again x where x.n = j.n and x.delay_ms is null) and not exists (select from attempt x where x.n = j.n) then greatest(l.claims - 1, 0) else 0 end,
    hour = j.this_hour,
    hour_delivered = case when l.hour = j.this_hour then l.hour_delivered else 0 end + j.now_delivered,
    hour_failed = case when l.hour = j.this_hour then l.hour_failed else 0 end + j.now_failed,
    failed_tries = case when j.succeeded then 0 else l.failed_tries + j.failed end,
    failing_since = case when j.succeeded then null when j.failed > 0 then coalesce(l.failing_since, callboard.clock()) else l.failing_since end,
    state = case when j.stopped or j.verdict is not null then 'disabled' when j.keep then 'leased' when j.pause_ms > 0 then 'paused' else 'idle' end,
    worker = case when j.keep and not j.stopped and j.verdict is null then l.worker end,
    epoch = case when (j.stopped or j.verdict is not null) and not j.keep then ${RAISED_EPOCH} else l.epoch end,
    nudged = l.nudged and j.keep,
    wake_at = case
      when j.stopped or j.verdict is not null then null
      when j.keep then l.wake_at
      -- Asked for by hand while it was being tried: whoever asks has mended something, and what failed was sent before.
      when j.pause_ms > 0 then callboard.clock() + case when l.nudged then 0 else j.pause_ms end * interval '1 ms'
      when l.head > greatest(l.cursor, j.cursor) or l.nudged then callboard.clock()
      else least(
        -- No time that has passed: lanes are looked for from the last ones on that were found.
        (select greatest(r.due_at, callboard.clock()) from callboard.retries r
          where r.account_id = j.account_id and r.mode = j.mode and r.subscription_id = j.subscription_id and r.due_at is not null
            and not exists (select from again x where x.n = j.n and x.event_id = r.event_id)
            and not exists (select from ended x where x.n = j.n and x.event_id = r.event_id)
          order by r.due_at limit 1),
        (select callboard.clock() + min(x.delay_ms) * interval '1 ms' from again x where x.n = j.n and not j.skipped)
      )
    end
  from judged j where ${laneFrom('l', 'j', '= j.epoch')}
)
select n::int as n, account_id, mode, subscription_id::text as subscription_id, verdict from judged`,
}
