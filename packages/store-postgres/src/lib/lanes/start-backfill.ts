import { positionBefore } from '../sequencing/feed-times.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { wasBefore } from '../subscriptions/was-before.ts'
import { isLeft } from './backfill-events.ts'

/**
 * As many events as one call of the sequencer takes. After so many newer events, no event from before the subscription
 * follows.
 */
const STRETCH = 1000
/** After this many stretches with earlier events, the backfill goes through everything up to the feed's end. */
const MOST_STRETCHES = 50

const KEY = { account_id: 'p_account_id', mode: 'p_mode', subscription_id: 'p_id', event_id: 'o.event_id' }

/**
 * Starts or extends a backfill, as core's `backfilled` says. Returns false if the present one includes its events. The
 * caller has locked the lane and the subscription.
 *
 * The outbox is read before the feed, so an event that is sequenced in between is found in one of them. The backfill
 * begins up to a minute or so before `p_since`; leases leave out what is too old.
 */
export const startBackfillFunction: DatabaseFunction = {
  name: 'start_backfill',
  text: `
create or replace function callboard.start_backfill(p_account_id text, p_mode text, p_id uuid, p_since timestamptz)
returns boolean language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  lane callboard.lanes;
  types text[];
  unsequenced uuid[];
  reach bigint;                              -- the last position of an event from before the subscription
  stretch record;
  examined bigint;
  begins bigint;                             -- everything up to here was published before \`p_since\`
begin
  select l.* into lane from callboard.lanes l
  where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id;
  select s.event_types into types from callboard.subscriptions s
  where s.account_id = p_account_id and s.mode = p_mode and s.id = p_id;

  unsequenced := array(
    select o.event_id from callboard.outbox o
    cross join lateral ${eventByKey('p_account_id', 'p_mode', 'o.event_id')} e
    where o.account_id = p_account_id and o.mode = p_mode and o.type = any (types)
      and e.published_at >= p_since and ${wasBefore('e', 'lane')}
      and ${isLeft(KEY)}
  );

  reach := lane.began;
  examined := lane.began;
  for i in 1 .. ${MOST_STRETCHES} loop
    select max(f.position) filter (where ${wasBefore('e', 'lane')}) as older, max(f.position) as last into stretch
    from (
      select x.position, x.event_id from callboard.feed x
      where x.account_id = p_account_id and x.mode = p_mode and x.position > examined
      order by x.position limit ${STRETCH}
    ) f
    cross join lateral ${eventByKey('p_account_id', 'p_mode', 'f.event_id')} e;
    exit when stretch.older is null;
    reach := case when i = ${MOST_STRETCHES} then (select q.position from callboard.sequencer q) else stretch.older end;
    examined := stretch.last;
  end loop;

  if lane.backfill_state <> 'cancelled' and reach <= lane.backfill_to and p_since >= lane.backfill_since then
    return false;
  end if;

  -- A lease settles its part only if it began at the present place. What is leased now was read with the former since.
  begins := least(
    ${positionBefore('p_since')}, reach, case when lane.state = 'leased' then lane.backfill_reached - 1 end
  );
  insert into callboard.retries
    (account_id, mode, subscription_id, event_id, attempts, due_at, manual, subject)
  select p_account_id, p_mode, p_id, u.id, 0, callboard.clock(), true, e.subject_type || ' ' || e.subject_id
  from unnest(unsequenced) u(id) cross join lateral ${eventByKey('p_account_id', 'p_mode', 'u.id')} e
  on conflict do nothing;
  insert into callboard.added_deliveries (account_id, mode, subscription_id, event_id)
  select p_account_id, p_mode, p_id, u.id from unnest(unsequenced) u(id)
  on conflict do nothing;

  update callboard.lanes l
  set backfill_state = 'running', backfill_since = p_since, backfill_started_at = callboard.clock(),
    backfill_from = least(l.backfill_from, begins), backfill_reached = begins, backfill_to = greatest(l.backfill_to, reach),
    wake_at = case when l.state = 'idle' then least(l.wake_at, callboard.clock()) else l.wake_at end
  where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id;
  return true;
end $$`,
}
