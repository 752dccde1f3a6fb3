import type { ResultOf } from '@callboard/core/store'
import { recordEntry } from '../audit/record-entry.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { indented } from '../sql/indented.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { isSelected } from '../subscriptions/selections.ts'
import { wasBefore, wasBeforeStart } from '../subscriptions/was-before.ts'
import { type DueNotice, NOTIFY_DUE } from '../workers/due-notice.ts'

export const resend: Statement<
  { outcome: ResultOf<'deliveryLog', 'resend'> },
  SubscriptionKey & DueNotice & { eventId: string; entry: string }
> = {
  name: 'resend',
  text: `
select outcome, ${NOTIFY_DUE}
from callboard.resend(:accountId, :mode, :id::uuid, :eventId::uuid, :entry::jsonb) outcome`,
}

const OF_EVENT = { account_id: 'p_account_id', mode: 'p_mode', event_id: 'p_event_id' }

const isOfLane = (row: string): string =>
  `${row}.account_id = p_account_id and ${row}.mode = p_mode and ${row}.subscription_id = p_id`

const OF_DELIVERY = { account_id: 'p_account_id', mode: 'p_mode', subscription_id: 'p_id', event_id: 'p_event_id' }

/**
 * Resends an event to a subscription, as core's `resent` says. If a worker holds a lease on the lane, the retry stores
 * the lease's epoch: when the lease settles, a failure keeps the retry and a success deletes it. A paused lane is
 * attempted again at once, with this delivery first (`asked_at`).
 *
 * Retention keeps no list of the events that it removed before any attempt. If it has ended deliveries of this
 * subscription as expired, the event's delivery may be one of them.
 */
export const resendFunction: DatabaseFunction = {
  name: 'resend',
  text: `
create or replace function callboard.resend(
  p_account_id text, p_mode text, p_id uuid, p_event_id uuid, p_entry jsonb
) returns text language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  lane callboard.lanes;
  subscription callboard.subscriptions;
  event callboard.events;
  fed bigint;                                -- the event's position; null: not sequenced, or removed
  retry record;
  held bigint;                               -- epoch of the lease that a worker holds
  is_selected boolean;
  outcome text;
begin
  select l.* into lane from callboard.lanes l where ${isOfLane('l')} for update;
  if not found then
    return 'unknown';
  end if;
  select e.* into event from ${indented(2, eventByKey('p_account_id', 'p_mode', 'p_event_id'))} e;
  select f.position into fed from ${indented(2, rowByKey('feed', OF_EVENT))} f;
  select r.* into retry from ${indented(2, rowByKey('retries', OF_DELIVERY))} r;
  if event.id is null and fed is null and retry.event_id is null
    and not exists (select from ${indented(4, rowByKey('ended_deliveries', OF_DELIVERY))} d)
    and not exists (select from ${indented(4, rowByKey('attempts', OF_DELIVERY))} a)
    and not exists (select from callboard.ended_ranges g where ${isOfLane('g')} and g.state = 'expired')
  then
    return 'unknown';
  end if;
  if lane.state = 'disabled' then
    return 'disabled';
  end if;
  if event.id is null then
    return 'expired';
  end if;

  held := case when lane.state = 'leased' then lane.epoch end;
  if retry.event_id is not null then
    if retry.due_at is null then             -- it waits for an earlier event of its subject
      return 'pending';
    end if;
    update callboard.retries r
    set due_at = callboard.clock(), asked_at = coalesce(r.asked_at, callboard.clock()), resent_epoch = held
    where r.ctid = (select x.row_id from ${indented(4, rowByKey('retries', OF_DELIVERY))} x);
    outcome := 'hastened';
  else
    select s.* into subscription from callboard.subscriptions s
    where s.account_id = p_account_id and s.mode = p_mode and s.id = p_id;
    is_selected := ${indented(4, isSelected('subscription', 'event.type', 'fed'))};
    if is_selected and not ${wasBefore('event', 'lane')}
      and (fed > lane.settled_through or (fed is null and exists (
        select from callboard.outbox o
        where o.event_id = p_event_id and o.account_id = p_account_id and o.mode = p_mode
      )))
    then
      if lane.state = 'paused' then
        update callboard.lanes l set wake_at = callboard.clock() where ${isOfLane('l')};
      end if;
      return 'pending';
    end if;
    delete from callboard.ended_deliveries d
    where d.ctid = (select x.row_id from ${indented(4, rowByKey('ended_deliveries', OF_DELIVERY))} x);
    insert into callboard.retries
      (account_id, mode, subscription_id, event_id, attempts, due_at, asked_at, manual, resent_epoch, subject, position)
    values (p_account_id, p_mode, p_id, p_event_id, 0, callboard.clock(), callboard.clock(), true, held,
      event.subject_type || ' ' || event.subject_id, fed);
    if not is_selected or fed <= greatest(lane.start, subscription.previous_after)
      or ${wasBeforeStart('event', 'lane')} then
      insert into callboard.added_deliveries (account_id, mode, subscription_id, event_id)
      values (p_account_id, p_mode, p_id, p_event_id) on conflict do nothing;
    end if;
    outcome := 'scheduled';
  end if;

  update callboard.lanes l
  set nudged = l.nudged or l.state = 'leased',
    wake_at = case when l.state in ('idle', 'paused') then callboard.clock() else l.wake_at end
  where ${isOfLane('l')};
  ${recordEntry('p_entry')};
  return outcome;
end $$`,
}
