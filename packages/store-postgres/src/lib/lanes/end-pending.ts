import type { DatabaseFunction } from '../sql/database-function.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { selectionColumns, selectionsOf } from '../subscriptions/selections.ts'
import { wasBefore } from '../subscriptions/was-before.ts'
import { isStillHeld } from './leases.ts'

/**
 * Ends all pending and retrying deliveries of a subscription, as core's `skipped` says. The caller has locked the
 * sequencer's row and the lane. Retries end one by one, and deliveries in the feed as a range. Deliveries of events in
 * the outbox end one by one too, because the lane's new snapshot shows those events, and so they will count as older
 * than the subscription. It is one statement, so that the outbox is read in that snapshot.
 *
 * A worker that holds the lane starts nothing more (`checkLeases`), and a failure that it then records is not retried.
 */
export const endPendingFunction: DatabaseFunction = {
  name: 'end_pending',
  text: `
create or replace function callboard.end_pending(p_account_id text, p_mode text, p_id uuid, p_as text)
returns void language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  with lane as materialized (
    select l.start, l.settled_through, l.since, l.since_at, ${selectionColumns('s')} from callboard.lanes l
    join callboard.subscriptions s on s.account_id = l.account_id and s.mode = l.mode and s.id = l.subscription_id
    where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id
  ),
  removed_retries as (
    delete from callboard.retries where account_id = p_account_id and mode = p_mode and subscription_id = p_id
    returning event_id, attempts, position
  ),
  unsequenced as (
    select o.event_id, 0::smallint as attempts, null::bigint as position from lane l
    join callboard.outbox o
      on o.account_id = p_account_id and o.mode = p_mode and o.type = any (l.event_types)
    cross join lateral ${eventByKey('p_account_id', 'p_mode', 'o.event_id')} e
    where not ${wasBefore('e', 'l')}
  ),
  ended as (
    insert into callboard.ended_deliveries (account_id, mode, subscription_id, event_id, state, attempts, position)
    select p_account_id, p_mode, p_id, event_id, p_as, attempts, position
    from (table removed_retries union all table unsequenced) delivery
    on conflict (account_id, mode, subscription_id, event_id) do update
    set state = excluded.state, attempts = excluded.attempts, ended_at = callboard.clock(), position = excluded.position
  ),
  -- Such an event may get its position after its type was dropped. It is listed all the same.
  listed as (
    insert into callboard.added_deliveries (account_id, mode, subscription_id, event_id)
    select p_account_id, p_mode, p_id, event_id from unsequenced
    on conflict do nothing
  ),
  ranged as (
    insert into callboard.ended_ranges (account_id, mode, subscription_id, after, through, state, types)
    select p_account_id, p_mode, p_id, greatest(l.settled_through, t.after), least(q.position, t.through), p_as,
      array_agg(t.type)
    from lane l cross join callboard.sequencer q cross join lateral ${selectionsOf('l')} t
    -- A range without an event would only slow down lists, and skipping again and again would leave thousands of such
    -- ranges.
    cross join lateral (
      select from callboard.feed x
      where x.account_id = p_account_id and x.mode = p_mode and x.type = t.type
        and x.position > greatest(l.start, t.after, l.settled_through) and x.position <= t.through
      order by x.position limit 1
    ) f
    group by l.settled_through, q.position, t.after, t.through
    on conflict do nothing
  )
  update callboard.lanes l
  set settled_through = q.position, head = q.position, began = q.position,
    backfill_state = case when l.backfill_state = 'running' then 'cancelled' else l.backfill_state end,
    since = pg_current_snapshot(), since_at = callboard.clock(),
    skipped_epoch = case when l.state = 'leased' or ${isStillHeld('l')} then l.epoch end,
    -- Whatever is in flight was ended by the first call during the lease.
    skipped_as = case when l.skipped_epoch = l.epoch then l.skipped_as else p_as end,
    wake_at = case when l.state = 'idle' then null else l.wake_at end
  from callboard.sequencer q
  where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id;
end $$`,
}
