import type { ResendableState } from '@callboard/core/store'
import { recordEntry } from '../audit/record-entry.ts'
import { eventsInRanges } from '../reading/events-in-ranges.ts'
import { JUDGED_DELIVERIES } from '../reading/list-deliveries.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { indented } from '../sql/indented.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { selectionColumns, selectionsOf } from '../subscriptions/selections.ts'
import { type DueNotice, NOTIFY_DUE } from '../workers/due-notice.ts'
import { backfillEvents } from './backfill-events.ts'

export interface RangeRow {
  lane_state: 'idle' | 'leased' | 'paused' | 'disabled'
  /** The highest position that was looked at; null if there was none. */
  last_place: string | null
  /**
   * Of the events whose deliveries were recorded without a position, the last one looked at; null if there was none.
   */
  last_event: string | null
  /** Whether more is left to look at. This and all that follows is null if the lane is disabled. */
  more: boolean | null
  /** When the newest event that was looked at was published, in milliseconds since 1970. */
  reached_at: number | null
  resent: number | null
  /** How many deliveries in the range are in each of the requested `states`; null if none is. */
  found: [ResendableState, number][] | null
}

export interface RangeParameters extends SubscriptionKey, DueNotice {
  /** Only deliveries at higher positions than this, and those selected by `afterEvent`. */
  readonly after: number
  /** Of the deliveries recorded without a position, only those of events with higher ids than this UUID. */
  readonly afterEvent: string
  /** How many to look at. */
  readonly step: number
  readonly states: readonly ResendableState[]
  /** Only events published at this time or later. */
  readonly publishedFrom: string
  /** Only events published before this time; null: no end. */
  readonly publishedBefore: string | null
  /** JSON; null if this step is not recorded. */
  readonly entry: string | null
}

export const resendRange: Statement<RangeRow, RangeParameters> = {
  name: 'resend-range',
  text: `
select lane_state, last_place, last_event, more, reached_at, resent, counts as found, ${NOTIFY_DUE}
from callboard.resend_range(
  :accountId, :mode, :id::uuid, :after::bigint, :afterEvent::uuid, :step::int, :states::text[],
  :publishedFrom::timestamptz, :publishedBefore::timestamptz, :entry::jsonb
)`,
}

const OWN = 'r.account_id = :accountId and r.mode = :mode and r.subscription_id = :id::uuid'

/** SQL for the table's record of the delivery of this event. */
const recordOf = (table: string, event: string): string =>
  rowByKey(table, { account_id: ':accountId', mode: ':mode', subscription_id: ':id::uuid', event_id: event })

/** SQL for the first of a table's records of this subscription whose positions are above `after`. */
const recorded = (table: string, filter: string): string => `
      select r.event_id from callboard.${table} r
      where ${OWN} and ${filter} and coalesce(r.position, 0) > :after::bigint
      order by coalesce(r.position, 0) limit :step::int + 1`

/**
 * SQL for the subscription's retries that have no position, although their event may have one by now. There are few:
 * only an event that was resent by hand while it was in the outbox has such a retry. Their order leaves one index to
 * find them with.
 */
const unsequencedRetries = (filter: string): string => `
      select r.event_id from callboard.retries r
      where ${OWN} and ${filter} and coalesce(r.position, 0) <= 0
      order by coalesce(r.position, 0)`

/**
 * SQL that tests whether retry `m` may be in flight under the current lease of lane `l`, and was not resent during that
 * lease.
 */
const MAY_BE_IN_FLIGHT = `(
        l.held is not null and not exists (
          select from ${recordOf('retries', 'm.event_id')} r where r.resent_epoch = l.held
        )
      )`

/** SQL for the step, which one statement takes. */
const STEP = `
with lane as materialized (
  select l.subscription_id, l.state, l.settled_through, l.start, case when l.state = 'leased' then l.epoch end as held,
    l.backfill_state, l.backfill_reached, l.backfill_to,
    ${selectionColumns('s')}
  from callboard.subscriptions s
  join callboard.lanes l on l.account_id = :accountId and l.mode = :mode and l.subscription_id = s.id
  where s.account_id = :accountId and s.mode = :mode and s.id = :id::uuid
),
recorded as materialized (
  select x.event_id from unnest(:states::text[]) asked(state)
  cross join lateral (${recorded('ended_deliveries', 'r.state = asked.state')}
  ) x
  union all
  select x.event_id from (select where 'retrying' = any (:states::text[])) asked
  cross join lateral ((${recorded('retries', 'r.attempts > 0')}) union all (${unsequencedRetries('r.attempts > 0')})
  ) x
  union all
  select x.event_id from (select where 'pending' = any (:states::text[])) asked
  cross join lateral ((${recorded('retries', 'r.attempts = 0')}) union all (${unsequencedRetries('r.attempts = 0')})
  ) x
),
found as materialized (
  select l.subscription_id, c.event_id, c.type, c.position, bool_or(c.added) as added, c.position::text as place,
    l.state as lane_state, l.settled_through
  from (
    select f.event_id, f.type, f.position, true as added
    from recorded r
    cross join lateral ${rowByKey('feed', { account_id: ':accountId', mode: ':mode', event_id: 'r.event_id' })} f
    where f.position > :after::bigint
    union all
    select f.event_id, f.type, f.position, false
    from ${eventsInRanges({
      order: 'oldest first',
      states: ':states::text[]',
      edge: ':after::bigint',
      limit: ':step::int + 1',
    })} f
    union all
    select f.event_id, f.type, f.position, false
    from lane l
    cross join lateral ${selectionsOf('l')} t
    cross join lateral (
      select x.event_id, x.type, x.position from callboard.feed x
      where x.account_id = :accountId and x.mode = :mode and x.type = t.type and 'pending' = any (:states::text[])
        and x.position > greatest(l.start, l.settled_through, t.after, :after::bigint) and x.position <= t.through
      order by x.position limit :step::int + 1
    ) f
    union all
    select f.*, null from lane l cross join lateral ${backfillEvents({
      owner: { accountId: ':accountId', mode: ':mode' },
      lane: 'l',
      types: 'l.event_types',
      from: 'backfill_reached',
      filter: `x.position > :after::bigint and 'pending' = any (:states::text[])`,
      order: 'oldest first',
      limit: ':step::int + 1',
    })} f
  ) c
  cross join lane l
  group by l.subscription_id, c.event_id, c.type, c.position, l.state, l.settled_through
  order by c.position limit :step::int + 1
),
unsequenced as materialized (
  select x.event_id from unnest(:states::text[]) asked(state)
  cross join lateral (
    select r.event_id from callboard.ended_deliveries r
    where ${OWN} and r.state = asked.state and r.position is null and r.event_id > :afterEvent::uuid
    order by r.account_id, r.mode, r.subscription_id, r.state, r.event_id limit :step::int + 1
  ) x
  order by x.event_id limit greatest(0, :step::int + 1 - (select count(*) from found))
),
examined as materialized (
  select event_id from unsequenced order by event_id
  limit greatest(0, :step::int - (select count(*) from found))
),
candidates as materialized (
  (select * from found order by position limit :step::int)
  union all
  select l.subscription_id, f.event_id, f.type, f.position, true, f.position::text, l.state, l.settled_through
  from examined u
  cross join lane l
  cross join lateral ${rowByKey('feed', { account_id: ':accountId', mode: ':mode', event_id: 'u.event_id' })} f
  where not exists (select from found x where x.event_id = u.event_id)
),
judged as (${JUDGED_DELIVERIES}
),
matching as materialized (
  select event_id, position, state, due_at from judged
  where state = any (:states::text[]) and published_at >= :publishedFrom::timestamptz
    and (:publishedBefore::timestamptz is null or published_at < :publishedBefore::timestamptz)
),
chosen as materialized (
  select m.event_id, m.position, m.state from matching m cross join lane l
  where m.state not in ('pending', 'retrying')
    or (
      m.state = 'retrying' and m.due_at is not null
      and (m.due_at > callboard.clock() or ${MAY_BE_IN_FLIGHT})
    )
),
-- By row id, not by key: with old statistics, a join compared each record of the subscription with each chosen delivery.
hastened as (
  update callboard.retries set due_at = callboard.clock(), resent_epoch = (select l.held from lane l)
  where ctid = any (array(
    select r.row_id from chosen c cross join lateral ${recordOf('retries', 'c.event_id')} r where c.state = 'retrying'
  ))
  returning 1
),
reopened as (
  delete from callboard.ended_deliveries where ctid = any (array(
    select d.row_id from chosen c cross join lateral ${recordOf('ended_deliveries', 'c.event_id')} d
    where c.state <> 'retrying'
  ))
),
scheduled as (
  insert into callboard.retries
    (account_id, mode, subscription_id, event_id, attempts, due_at, manual, subject, position)
  select :accountId, :mode, :id::uuid, c.event_id, 0, callboard.clock(), true,
    e.subject_type || ' ' || e.subject_id, c.position
  from chosen c cross join lateral ${eventByKey(':accountId', ':mode', 'c.event_id')} e
  where c.state <> 'retrying'
  on conflict do nothing
  returning 1
),
woken as (
  update callboard.lanes l
  set nudged = l.nudged or l.state = 'leased',
    wake_at = case when l.state in ('idle', 'paused') then callboard.clock() else l.wake_at end
  where l.account_id = :accountId and l.mode = :mode and l.subscription_id = :id::uuid
    and (
      exists (select from scheduled) or exists (select from hastened)
      or (l.state = 'paused' and exists (select from matching))
    )
)
select (select max(position)::text from (select position from found order by position limit :step::int) x),
  (select max(event_id::text) from examined),
  (select count(*) from found) + (select count(*) from unsequenced) > :step::int,
  (select extract(epoch from max(published_at))::float8 * 1000 from judged),
  (select count(*) from scheduled) + (select count(*) from hastened),
  (select json_agg(json_build_array(c.state, c.n)) from (select state, count(*) as n from matching group by state) c)
  into last_place, last_event, more, reached_at, resent, counts`

/**
 * Resends one step of a range, oldest first, each delivery as core's `resent` says. Returns no row if the subscription
 * does not exist. A step may be repeated, because a resent delivery is no longer in one of the requested `states`, or
 * is already due. Leaves `asked_at` alone, so that a delivery resent on its own does not wait for a range of thousands.
 *
 * Reads the records of deliveries in the requested `states`, because finding three failures among a million deliveries
 * in the feed took two thousand steps. Deliveries that ended while their event was in the outbox have records without a
 * position. They come last, by event id, because sorting 100,000 of them took 2 s in each step.
 */
export const resendRangeFunction: DatabaseFunction = {
  name: 'resend_range',
  text: `
create or replace function callboard.resend_range(
  p_account_id text, p_mode text, p_id uuid, p_after bigint, p_after_event uuid, p_step int, p_states text[],
  p_published_from timestamptz, p_published_before timestamptz, p_entry jsonb
) returns table (
  lane_state text, last_place text, last_event text, more boolean, reached_at float8, resent int, counts json
)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
begin
  select l.state into lane_state from callboard.lanes l
  where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id for update;
  if lane_state is null then
    return;
  end if;
  if lane_state <> 'disabled' then
    ${inFunction(indented(4, STEP))};
    if p_entry is not null and (resent > 0 or more) then
      ${indented(6, recordEntry('p_entry'))};
    end if;
  end if;
  return next;
end $$`,
}

/**
 * SQL of a statement, for use in a function: the statement's parameter `:accountId` is the function's parameter
 * `p_account_id`.
 */
function inFunction(sql: string): string {
  return sql.replace(
    /(?<![:\w]):([a-z]\w*)/gi,
    (_, name: string) => `p_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
  )
}
