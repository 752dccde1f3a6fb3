import type { DatabaseFunction } from '../sql/database-function.ts'
import { indented } from '../sql/indented.ts'
import { PAGE, type Statement } from '../sql/statement.ts'
import { inFunction, RANGE_SELECTION, type RangeParameters, type RangeRow, rangeResult } from './range-selection.ts'

export const countRange: Statement<RangeRow, RangeParameters> = {
  ...PAGE,
  name: 'count-range',
  text: `
select lane_state, last_place, last_event, more, reached_at, resent, counts as found
from callboard.count_range(
  :accountId, :mode, :id::uuid, :after::bigint, :afterEvent::uuid, :step::int, :states::text[],
  :publishedFrom::timestamptz, :publishedBefore::timestamptz
)`,
}

/** Counts what a step of `resend_range` would resend, with the same selection, and locks and changes nothing. */
export const countRangeFunction: DatabaseFunction = {
  name: 'count_range',
  text: `
create or replace function callboard.count_range(
  p_account_id text, p_mode text, p_id uuid, p_after bigint, p_after_event uuid, p_step int, p_states text[],
  p_published_from timestamptz, p_published_before timestamptz
) returns table (
  lane_state text, last_place text, last_event text, more boolean, reached_at float8, resent int, counts json
)
language plpgsql stable set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  select l.state into lane_state from callboard.lanes l
  where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id;
  if lane_state is null then
    return;
  end if;
  if lane_state <> 'disabled' then
    ${inFunction(indented(4, RANGE_SELECTION + rangeResult('(select count(*) from chosen)')))};
  end if;
  return next;
end $$`,
}
