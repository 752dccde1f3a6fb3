import { isStillHeld, RAISED_EPOCH } from '../lanes/leases.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'

/**
 * Enables a disabled subscription and its lane, as core's `enabled` says. The caller has locked the sequencer's row,
 * the lane and the subscription.
 *
 * A worker that still holds the lane keeps its lease, so that nobody else starts the next event of a subject until the
 * worker has recorded what it has in flight. Whether the lane is held is read once, because time passes during the
 * function.
 */
export const enableSubscriptionFunction: DatabaseFunction = {
  name: 'enable_subscription',
  text: `
create or replace function callboard.enable_subscription(p_account_id text, p_mode text, p_id uuid)
returns void language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  is_held boolean;
begin
  perform callboard.end_pending(p_account_id, p_mode, p_id, 'disabled');

  update callboard.subscriptions s
  set state = 'active', disabled_reason = null, changed_at = callboard.clock()
  where s.account_id = p_account_id and s.mode = p_mode and s.id = p_id;

  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select s.account_id, s.mode, t.type, s.id
  from callboard.subscriptions s cross join lateral unnest(s.event_types) t(type)
  where s.account_id = p_account_id and s.mode = p_mode and s.id = p_id
  on conflict do nothing;

  select ${isStillHeld('l')} into is_held from callboard.lanes l
  where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id;
  update callboard.lanes l
  set state = case when is_held then 'leased' else 'idle' end,
    wake_at = case when is_held then l.leased_until end, worker = case when is_held then l.worker end,
    epoch = case when is_held then l.epoch else ${RAISED_EPOCH} end,
    leased_until = null, claims = 0, nudged = false, slow = false,
    breaker_failures = 0, failed_attempts = 0, failing_since = null, reported = false
  where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id;
end $$`,
}
