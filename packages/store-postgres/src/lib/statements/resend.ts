import { eventByKey } from '../fragments/event-by-key.ts'
import { rowByKey } from '../fragments/row-by-key.ts'
import { isInShare, shareColumns } from '../fragments/share.ts'
import { wasBefore, wasBeforeStart } from '../fragments/was-before.ts'
import type { Statement, SubscriptionKey } from './statement.ts'

export interface ResendRow {
  outcome: 'scheduled' | 'hastened' | 'pending' | 'expired' | 'disabled'
}

/** SQL that tests whether a row belongs to this delivery. */
const isOfDelivery = (row: string): string =>
  `${row}.account_id = :accountId and ${row}.mode = :mode and ${row}.subscription_id = :id::uuid
    and ${row}.event_id = :eventId::uuid`

/**
 * Runs after the lane was locked, so it sees what the last settle wrote, and the next settle waits for it. If a worker
 * holds a lease on the lane, the retry stores the lease's epoch: when the lease settles, a failure keeps the retry and
 * a success deletes it. A paused lane is attempted again at once, with this delivery first (`asked_at`).
 */
export const resend: Statement<ResendRow, SubscriptionKey & { eventId: string }> = {
  name: 'resend',
  text: `
with lane as materialized (
  select l.*, ${shareColumns('s')}, case when l.state = 'leased' then l.epoch end as held from callboard.lanes l
  join callboard.subscriptions s on s.account_id = l.account_id and s.mode = l.mode and s.id = l.subscription_id
  where l.account_id = :accountId and l.mode = :mode and l.subscription_id = :id::uuid and l.state <> 'disabled'
),
event as materialized (
  select e.* from ${eventByKey(':accountId', ':mode', ':eventId::uuid')} e
),
fed as materialized (
  select f.position
  from ${rowByKey('feed', { account_id: ':accountId', mode: ':mode', event_id: ':eventId::uuid' })} f
),
running as materialized (
  select r.due_at from callboard.retries r where ${isOfDelivery('r')}
),
known as materialized (
  select e.subject_type, e.subject_id, f.position, l.held,
    ${isInShare('l', 'e.type', 'f.position')} and coalesce(f.position > l.start, true)
      and not ${wasBeforeStart('e', 'l')} as own,
    not exists (select from running) and ${isInShare('l', 'e.type', 'f.position')}
      and not ${wasBefore('e', 'l')}
      and (f.position > l.cursor or (f.position is null and exists (
        select from callboard.outbox o
        where o.event_id = e.id and o.account_id = :accountId and o.mode = :mode
      ))) as pending
  from lane l cross join event e left join fed f on true
),
hastened as (
  update callboard.retries r
  set due_at = callboard.clock(), asked_at = coalesce(r.asked_at, callboard.clock()), resent_epoch = k.held
  from known k
  where ${isOfDelivery('r')} and r.due_at is not null
  returning 1
),
reopened as (
  delete from callboard.ended_deliveries d using known k
  where ${isOfDelivery('d')} and not k.pending and not exists (select from running)
),
scheduled as (
  insert into callboard.retries
    (account_id, mode, subscription_id, event_id, attempts, due_at, asked_at, manual, resent_epoch, subject, position)
  select :accountId, :mode, :id::uuid, :eventId::uuid, 0, callboard.clock(), callboard.clock(), true, k.held,
    k.subject_type || ' ' || k.subject_id, k.position
  from known k where not k.pending and not exists (select from running)
  returning 1
),
added as (
  insert into callboard.added_deliveries (account_id, mode, subscription_id, event_id)
  select :accountId, :mode, :id::uuid, :eventId::uuid from known k
  where not k.own and not k.pending and not exists (select from running)
  on conflict do nothing
),
woken as (
  update callboard.lanes l
  set nudged = l.nudged or l.state = 'leased',
    wake_at = case when l.state in ('idle', 'paused') then callboard.clock() else l.wake_at end
  where l.account_id = :accountId and l.mode = :mode and l.subscription_id = :id::uuid
    and (exists (select from hastened) or exists (select from scheduled)
      or (l.state = 'paused' and exists (select from known k where k.pending)))
)
select case
  when not exists (select from lane) then 'disabled'
  when not exists (select from event) then 'expired'
  when exists (select from hastened) then 'hastened'
  when exists (select from scheduled) then 'scheduled'
  else 'pending' end as outcome
where exists (select from event) or exists (select from fed) or exists (select from running)
  or exists (select from callboard.ended_deliveries d where ${isOfDelivery('d')})
  or exists (select from callboard.attempts a where ${isOfDelivery('a')})
  -- Retention keeps no list of the events that it removed before any attempt. If it has ended deliveries of this
  -- subscription as expired, this event's delivery may be one of them.
  or exists (
    select from callboard.ended_ranges g
    where g.account_id = :accountId and g.mode = :mode and g.subscription_id = :id::uuid and g.state = 'expired'
  )`,
}
