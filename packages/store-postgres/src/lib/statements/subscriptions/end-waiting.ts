import { eventByKey } from '../event-by-key.ts'
import type { Statement } from '../statement.ts'

/**
 * Ends what waits, as $4, after sequencer and lane were locked: retries one by one, the feed as a range, and what is
 * committed and not placed yet one by one too: it will be passed over, and must not vanish. One statement, so that what it sees of the
 * outbox is what the lane's new snapshot shows as older. A lease that is held remembers that what it fails with is not tried again.
 */
export const endWaiting: Statement<{ ok: boolean }> = {
  name: 'end-waiting',
  text: `
with lane as materialized (
  select l.cursor, l.since, l.since_at, s.event_types from callboard.lanes l
  join callboard.subscriptions s on s.account_id = l.account_id and s.mode = l.mode and s.id = l.subscription_id
  where l.account_id = $1 and l.mode = $2 and l.subscription_id = $3::uuid
),
retried as (
  delete from callboard.retries where account_id = $1 and mode = $2 and subscription_id = $3::uuid returning event_id, tries, position
),
unplaced as (
  select o.event_id, 0::smallint as tries, null::bigint as position from lane l
  join callboard.outbox o on o.shard = 0 and o.account_id = $1 and o.mode = $2 and o.type = any (l.event_types)
  cross join lateral ${eventByKey('$1', '$2', 'o.event_id')} e
  where not (e.published_at <= l.since_at and pg_visible_in_snapshot(e.xid, l.since))
),
ended as (
  insert into callboard.ended_deliveries (account_id, mode, subscription_id, event_id, state, tries, position)
  select $1, $2, $3::uuid, event_id, $4, tries, position from (table retried union all table unplaced) waiting
  on conflict (account_id, mode, subscription_id, event_id) do update set state = excluded.state, tries = excluded.tries, ended_at = callboard.clock(), position = excluded.position
),
ranged as (
  insert into callboard.ended_ranges (account_id, mode, subscription_id, after, through, state)
  select $1, $2, $3::uuid, l.cursor, q.position, $4 from lane l, callboard.sequencers q where q.shard = 0 and l.cursor < q.position
  on conflict do nothing
)
update callboard.lanes l set cursor = q.position, head = q.position, since = pg_current_snapshot(), since_at = callboard.clock(),
  start_since = coalesce(l.start_since, l.since), start_since_at = coalesce(l.start_since_at, l.since_at),
  skipped_epoch = case when l.state = 'leased' then l.epoch end, wake_at = case when l.state = 'idle' then null else l.wake_at end
from callboard.sequencers q where q.shard = 0 and l.account_id = $1 and l.mode = $2 and l.subscription_id = $3::uuid
returning true as ok`,
}
