import { recordEntry } from '../audit/record-entry.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { indented } from '../sql/indented.ts'
import type { Statement } from '../sql/statement.ts'
import { type DueNotice, NOTIFY_DUE } from '../workers/due-notice.ts'
import {
  inFunction,
  RANGE_SELECTION,
  type RangeParameters,
  type RangeRow,
  rangeResult,
  recordOf,
} from './range-selection.ts'

export interface ResendRangeParameters extends RangeParameters, DueNotice {
  /** JSON; null if this step is not recorded. */
  readonly entry: string | null
}

export const resendRange: Statement<RangeRow, ResendRangeParameters> = {
  name: 'resend-range',
  text: `
select lane_state, last_place, last_event, more, reached_at, resent, counts as found, ${NOTIFY_DUE}
from callboard.resend_range(
  :accountId, :mode, :id::uuid, :after::bigint, :afterEvent::uuid, :step::int, :states::text[],
  :publishedFrom::timestamptz, :publishedBefore::timestamptz, :entry::jsonb
)`,
}

/** SQL for the step, which one statement takes. */
const STEP = `${RANGE_SELECTION},
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
)${rangeResult('(select count(*) from scheduled) + (select count(*) from hastened)')}`

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
