import { eventByKey } from './event-by-key.ts'
import { wasBefore } from './list-deliveries.ts'
import { rowByKey } from './row-by-key.ts'
import { isInShare, shareColumns } from './share.ts'
import type { Statement } from './statement.ts'

export interface ResendRow {
  outcome: 'scheduled' | 'hastened' | 'pending' | 'expired' | 'disabled'
}

/**
 * After the lane was locked, so that what the last settle wrote is seen and the next one waits. A retry that is due now or
 * anew remembers the lease that was held at this moment: when that lease settles, the resend outlives a failure and is
 * satisfied by a success. A lane that its breaker pauses is probed now.
 */
export const resend: Statement<ResendRow> = {
  name: 'resend',
  text: `
with lane as materialized (
  select l.*, ${shareColumns('s')}, case when l.state = 'leased' then l.epoch end as held from callboard.lanes l
  join callboard.subscriptions s on s.account_id = l.account_id and s.mode = l.mode and s.id = l.subscription_id
  where l.account_id = $1 and l.mode = $2 and l.subscription_id = $3::uuid and l.state <> 'disabled'
),
event as materialized (
  select e.* from ${eventByKey('$1', '$2', '$4::uuid')} e
),
fed as materialized (
  select f.position from ${rowByKey('feed', { account_id: '$1', mode: '$2', event_id: '$4::uuid' })} f
),
running as materialized (
  select r.due_at from callboard.retries r where r.account_id = $1 and r.mode = $2 and r.subscription_id = $3::uuid and r.event_id = $4::uuid
),
known as materialized (
  select e.subject_type, e.subject_id, f.position, l.held,
    ${isInShare('l', 'e.type', 'f.position')} and coalesce(f.position > l.start, true) and not ${wasBefore} as own,
    not exists (select from running) and ${isInShare('l', 'e.type', 'f.position')}
      and not coalesce(e.published_at <= l.since_at and pg_visible_in_snapshot(e.xid, l.since), false)
      and (f.position > l.cursor or (f.position is null and exists (select from callboard.outbox o where o.shard = 0 and o.event_id = e.id and o.account_id = $1 and o.mode = $2))) as pending
  from lane l cross join event e left join fed f on true
),
hastened as (
  update callboard.retries r set due_at = callboard.clock(), resent_epoch = k.held from known k
  where r.account_id = $1 and r.mode = $2 and r.subscription_id = $3::uuid and r.event_id = $4::uuid and r.due_at is not null returning 1
),
reopened as (
  delete from callboard.ended_deliveries d using known k
  where d.account_id = $1 and d.mode = $2 and d.subscription_id = $3::uuid and d.event_id = $4::uuid and not k.pending and not exists (select from running)
),
scheduled as (
  insert into callboard.retries (account_id, mode, subscription_id, event_id, tries, due_at, manual, resent_epoch, subject, position)
  select $1, $2, $3::uuid, $4::uuid, 0, callboard.clock(), true, k.held, k.subject_type || ' ' || k.subject_id, k.position
  from known k where not k.pending and not exists (select from running) returning 1
),
added as (
  insert into callboard.added_deliveries (account_id, mode, subscription_id, event_id)
  select $1, $2, $3::uuid, $4::uuid from known k where not k.own and not k.pending and not exists (select from running) on conflict do nothing
),
woken as (
  update callboard.lanes l set nudged = l.nudged or l.state = 'leased', wake_at = case when l.state in ('idle', 'paused') then callboard.clock() else l.wake_at end
  where l.account_id = $1 and l.mode = $2 and l.subscription_id = $3::uuid
    and (exists (select from hastened) or exists (select from scheduled) or (l.state = 'paused' and exists (select from known k where k.pending)))
)
select case
  when not exists (select from lane) then 'disabled'
  when not exists (select from event) then 'expired'
  when exists (select from hastened) then 'hastened'
  when exists (select from scheduled) then 'scheduled'
  else 'pending' end as outcome
where exists (select from event) or exists (select from fed) or exists (select from running)
  or exists (select from callboard.ended_deliveries d where d.account_id = $1 and d.mode = $2 and d.subscription_id = $3::uuid and d.event_id = $4::uuid)
  or exists (select from callboard.attempts a where a.account_id = $1 and a.mode = $2 and a.subscription_id = $3::uuid and a.event_id = $4::uuid)
  -- Retention kept no list of what it removed untried: of a subscription that it overtook, what is not there counts as that.
  or exists (select from callboard.ended_ranges g where g.account_id = $1 and g.mode = $2 and g.subscription_id = $3::uuid and g.state = 'expired')`,
}
