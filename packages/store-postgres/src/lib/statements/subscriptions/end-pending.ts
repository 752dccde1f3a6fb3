import { eventByKey } from '../../fragments/event-by-key.ts'
import { shareColumns, shareOf } from '../../fragments/share.ts'
import { wasBefore } from '../../fragments/was-before.ts'
import type { Statement, SubscriptionKey } from '../statement.ts'
import { IS_STILL_HELD } from './enable-and-disable.ts'

export interface EndPendingParameters extends SubscriptionKey {
  /** How the deliveries end. */
  readonly as: 'skipped' | 'disabled'
}

/**
 * Ends all pending and retrying deliveries of a subscription. The sequencer's row and the lane must be locked. Retries end
 * one by one, and deliveries in the feed as a range. Deliveries of events in the outbox end one by one too, because the
 * lane's new snapshot shows those events, and so they will count as older than the subscription. It is one statement,
 * so that the outbox is read in that snapshot.
 *
 * A worker that holds the lane starts nothing more (`checkLeases`), and a failure that it then records is not retried.
 */
export const endPending: Statement<{ ok: boolean }, EndPendingParameters> = {
  name: 'end-pending',
  text: `
with lane as materialized (
  select l.start, l.cursor, l.since, l.since_at, ${shareColumns('s')} from callboard.lanes l
  join callboard.subscriptions s on s.account_id = l.account_id and s.mode = l.mode and s.id = l.subscription_id
  where l.account_id = :accountId and l.mode = :mode and l.subscription_id = :id::uuid
),
removed_retries as (
  delete from callboard.retries where account_id = :accountId and mode = :mode and subscription_id = :id::uuid
  returning event_id, attempts, position
),
unsequenced as (
  select o.event_id, 0::smallint as attempts, null::bigint as position from lane l
  join callboard.outbox o
    on o.account_id = :accountId and o.mode = :mode and o.type = any (l.event_types)
  cross join lateral ${eventByKey(':accountId', ':mode', 'o.event_id')} e
  where not ${wasBefore('e', 'l')}
),
ended as (
  insert into callboard.ended_deliveries (account_id, mode, subscription_id, event_id, state, attempts, position)
  select :accountId, :mode, :id::uuid, event_id, :as, attempts, position
  from (table removed_retries union all table unsequenced) delivery
  on conflict (account_id, mode, subscription_id, event_id) do update
  set state = excluded.state, attempts = excluded.attempts, ended_at = callboard.clock(), position = excluded.position
),
ranged as (
  insert into callboard.ended_ranges (account_id, mode, subscription_id, after, through, state, types)
  select :accountId, :mode, :id::uuid, greatest(l.cursor, t.after), least(q.position, t.through), :as, array_agg(t.type)
  from lane l cross join callboard.sequencer q cross join lateral ${shareOf('l')} t
  -- A range without an event would only slow down lists, and skipping again and again would leave thousands of such
  -- ranges.
  cross join lateral (
    select from callboard.feed x
    where x.account_id = :accountId and x.mode = :mode and x.type = t.type
      and x.position > greatest(l.start, t.after, l.cursor) and x.position <= t.through
    order by x.position limit 1
  ) f
  group by l.cursor, q.position, t.after, t.through
  on conflict do nothing
)
update callboard.lanes l
set cursor = q.position, head = q.position, since = pg_current_snapshot(), since_at = callboard.clock(),
  skipped_epoch = case when l.state = 'leased' or ${IS_STILL_HELD} then l.epoch end,
  -- Whatever is in flight was ended by the first call during the lease.
  skipped_as = case when l.skipped_epoch = l.epoch then l.skipped_as else :as end,
  wake_at = case when l.state = 'idle' then null else l.wake_at end
from callboard.sequencer q
where l.account_id = :accountId and l.mode = :mode and l.subscription_id = :id::uuid
returning true as ok`,
}
