import { RAISED_EPOCH } from '../lanes/leases.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { indented } from '../sql/indented.ts'
import { removeTypes } from './remove-types.ts'

/**
 * Disables a subscription and its lane, as core's `disabled` says. Returns false and changes nothing if the
 * subscription does not exist, or is disabled for this reason already, or for one that is not among `p_replaces`.
 *
 * The lane is locked before the subscription, as everywhere. A worker that holds a lease can still record what it sent,
 * but nothing else. The end of the lease moves from `wake_at` to `leased_until`, because a lane with a `wake_at` can be
 * leased.
 */
export const disableSubscriptionFunction: DatabaseFunction = {
  name: 'disable_subscription',
  text: `
create or replace function callboard.disable_subscription(
  p_account_id text, p_mode text, p_id uuid, p_reason text, p_replaces text[]
) returns boolean language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  own callboard.subscriptions;
begin
  perform from callboard.lanes l
  where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id for update;

  -- Read before the update: a condition on the state lets the planner use an index of all the account's subscriptions.
  select s.* into own from callboard.subscriptions s
  where s.account_id = p_account_id and s.mode = p_mode and s.id = p_id for no key update;
  if not found or own.state = 'removed' or (
    own.state = 'disabled' and (own.disabled_reason = p_reason or own.disabled_reason <> all (p_replaces))
  ) then
    return false;
  end if;
  update callboard.subscriptions s
  set state = 'disabled', disabled_reason = p_reason, changed_at = callboard.clock()
  where s.account_id = p_account_id and s.mode = p_mode and s.id = p_id;

  ${indented(2, removeTypes('own.event_types'))};

  -- If no lease is held, the epoch is raised, so that earlier leases can no longer be settled. The state disabled
  -- alone would not prevent that, because a lease that was held when the lane was disabled may still be settled.
  update callboard.lanes l
  set state = 'disabled', wake_at = null,
    backfill_state = case when l.backfill_state = 'running' then 'cancelled' else l.backfill_state end,
    leased_until = case when l.state = 'leased' then l.wake_at else l.leased_until end,
    epoch = case when l.state in ('idle', 'paused') then ${RAISED_EPOCH} else l.epoch end
  where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id;
  return true;
end $$`,
}
