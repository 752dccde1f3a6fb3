import type { ResultOf } from '@callboard/core/store'
import { subscriptionsLock } from '../accounts/account-locks.ts'
import { recordEntry, withDetails } from '../audit/record-entry.ts'
import { RAISED_EPOCH } from '../lanes/leases.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { indented } from '../sql/indented.ts'
import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { type DueNotice, NOTIFY_DUE } from '../workers/due-notice.ts'
import { removeTypes } from './remove-types.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

type Outcome = Exclude<ResultOf<'subscriptions', 'changeSubscription'>['outcome'], 'unknown'>

/** Returns no row if the subscription is unknown to the act. If the outcome is `exists`, the row is the other one. */
export const changeSubscription: Statement<
  SubscriptionRow & { readonly outcome: Outcome },
  SubscriptionKey & DueNotice & { readonly act: string; readonly entry: string }
> = {
  name: 'change-subscription',
  text: `
select outcome, ${SUBSCRIPTION_COLUMNS}, ${NOTIFY_DUE}
from (
  select r.outcome, (r.subscription).*
  from callboard.change_subscription(:accountId, :mode, :id::uuid, :act::jsonb, :entry::jsonb) r
) s`,
}

const OWN = 's.account_id = p_account_id and s.mode = p_mode and s.id = p_id'
const OWN_LANE = 'l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = p_id'
const OWN_RETRIES = 'r.account_id = p_account_id and r.mode = p_mode and r.subscription_id = p_id'

/**
 * Changes a subscription by one act of `SubscriptionAct`, and records its entry if something has changed. `p_act` is
 * the act as JSON (see `actJson`). Returns no row if the subscription is unknown to the act.
 *
 * The lane changes as core's functions say: for `revise`, `retyped` if the event types change and `retargeted` if the
 * target does; for `set_ordering`, `reordered`. The functions that this one calls follow `disabled`, `enabled`,
 * `skipped` and `backfilled`.
 *
 * Locks are taken in the order of all functions: the account's lock if the identity may change, the confirming key, the
 * sequencer's row if the act depends on the feed's head, the lane, the subscription. Every step after that sees what
 * was committed before.
 */
export const changeSubscriptionFunction: DatabaseFunction = {
  name: 'change_subscription',
  text: `
create or replace function callboard.change_subscription(
  p_account_id text, p_mode text, p_id uuid, p_act jsonb, p_entry jsonb
) returns table (outcome text, subscription callboard.subscriptions)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  act text := p_act ->> 'act';
  changes jsonb := p_act -> 'changes';
  types text[] := case when changes ? 'eventTypes'
    then array(select jsonb_array_elements_text(changes -> 'eventTypes')) end;
  turn text := p_act #>> '{state,act}';
  is_switched boolean := false;
  confirming_key uuid;
  own_identity bytea;
  lane callboard.lanes;
  own callboard.subscriptions;
  fields text[];
begin
  if p_act ? 'identity' then
    perform ${subscriptionsLock('p_account_id')};
  end if;
  confirming_key := callboard.current_key(p_account_id, (p_act ->> 'confirmedBy')::uuid);
  if 'enable' in (act, turn) or act = 'skip_to_now' or types is not null then
    perform from callboard.sequencer for update;
  end if;
  select l.* into lane from callboard.lanes l where ${OWN_LANE} for update;
  select s.* into own from callboard.subscriptions s where ${OWN} for no key update;
  if not found or not p_act -> 'sources' ? own.source or (own.state = 'removed' and act <> 'remove') then
    return;
  end if;
  outcome := 'unchanged';
  subscription := own;

  if act = 'revise' then
    if p_act ? 'seen' and (
      own.target_url <> p_act #>> '{seen,targetUrl}'
      or own.event_types <> array(select jsonb_array_elements_text(p_act #> '{seen,eventTypes}'))
      or own.external_ref is distinct from p_act #>> '{seen,externalRef}'
    ) then
      outcome := 'stale';
      return next;
      return;
    end if;
    if turn = 'enable' and own.state = 'disabled' and not p_act #> '{state,from}' ? own.disabled_reason then
      outcome := 'stays_disabled';
      return next;
      return;
    end if;
    fields := array_remove(array[
      case when changes ->> 'targetUrl' <> own.target_url then 'targetUrl' end,
      case when types <> own.event_types then 'eventTypes' end,
      case when (changes -> 'personalData')::boolean is distinct from own.personal_data and changes ? 'personalData'
        then 'personalData' end,
      case when changes ->> 'description' is distinct from own.description and changes ? 'description'
        then 'description' end,
      case when changes ->> 'externalRef' is distinct from own.external_ref and changes ? 'externalRef'
        then 'externalRef' end,
      case when changes ->> 'apiVersion' <> own.api_version then 'apiVersion' end,
      case when nullif(changes -> 'signatures', 'null') is distinct from own.signatures and changes ? 'signatures'
        then 'signatures' end
    ], null);
    if cardinality(fields) > 0 and p_act ? 'identity' then
      own_identity := decode(p_act ->> 'identity', 'hex');
      select s.* into subscription from callboard.subscriptions s
      where s.account_id = p_account_id and s.mode = p_mode and s.identity = own_identity and s.state <> 'removed'
        and s.id <> p_id;
      if found then
        outcome := 'exists';
        return next;
        return;
      end if;
      subscription := own;
    end if;
    if 'eventTypes' = any (fields) and own.state = 'active' and turn is distinct from 'disable'
      and lane.settled_through < own.types_after
    then
      outcome := 'refused';
      return next;
      return;
    end if;

    if turn = 'disable' then
      is_switched := callboard.disable_subscription(
        p_account_id, p_mode, p_id, p_act #>> '{state,reason}',
        array(select jsonb_array_elements_text(p_act #> '{state,replaces}'))
      );
    end if;
    if 'eventTypes' = any (fields) then
      if own.state = 'disabled' or turn = 'disable' then
        perform callboard.end_pending(p_account_id, p_mode, p_id, 'disabled');
      end if;
      update callboard.subscriptions s
      set event_types = types, types_after = q.position, previous_types = s.event_types,
        previous_after = s.types_after, earlier_types = array(select distinct unnest(s.earlier_types || s.previous_types))
      from callboard.sequencer q where ${OWN};
      -- settled_through must get past the change even if no event follows.
      update callboard.lanes l
      set settled_through = case when l.head > l.settled_through then l.settled_through else q.position end,
        head = q.position
      from callboard.sequencer q where ${OWN_LANE};
      ${indented(6, removeTypes('array(select unnest(own.event_types) except select unnest(types))'))};
      if own.state = 'active' and turn is distinct from 'disable' then
        insert into callboard.subscription_types (account_id, mode, type, subscription_id)
        select p_account_id, p_mode, t.type, p_id from unnest(types) t(type)
        on conflict do nothing;
      end if;
    end if;
    if 'targetUrl' = any (fields) then
      update callboard.retries r set due_at = callboard.clock() where ${OWN_RETRIES} and r.due_at is not null;
      -- The epoch is raised, so that a worker that is sending to the old target can record nothing.
      update callboard.lanes l
      set host = p_act ->> 'host', state = case when l.state = 'disabled' then l.state else 'idle' end, worker = null,
        epoch = ${RAISED_EPOCH}, leased_until = null, claims = 0, nudged = false, slow = false,
        breaker_failures = 0, failed_attempts = 0, failing_since = null, reported = false,
        wake_at = case when l.state <> 'disabled' and (
          l.head > l.settled_through or l.backfill_state = 'running' or found
        ) then callboard.clock() end
      where ${OWN_LANE};
    end if;
    if turn = 'enable' and own.state = 'disabled' then
      perform callboard.enable_subscription(p_account_id, p_mode, p_id);
      is_switched := true;
    end if;
    if is_switched then
      fields := fields || case when (own.state = 'active') = (turn = 'disable') then '{state}'::text[] else '{}' end
        || '{disabledReason}'::text[];
    end if;
    if cardinality(fields) > 0 then
      outcome := 'changed';
      if confirming_key is not null and confirming_key is distinct from own.confirmed_by then
        fields := fields || '{confirmedBy}'::text[];
      end if;
      update callboard.subscriptions s
      set target_url = coalesce(changes ->> 'targetUrl', s.target_url),
        personal_data = coalesce((changes -> 'personalData')::boolean, s.personal_data),
        api_version = coalesce(changes ->> 'apiVersion', s.api_version),
        description = case when changes ? 'description' then changes ->> 'description' else s.description end,
        signatures = case when changes ? 'signatures' then nullif(changes -> 'signatures', 'null') else s.signatures end,
        external_ref = case when changes ? 'externalRef' then changes ->> 'externalRef' else s.external_ref end,
        identity = coalesce(own_identity, s.identity), confirmed_by = coalesce(confirming_key, s.confirmed_by)
      where ${OWN};
      p_entry := ${withDetails('p_entry', `jsonb_build_object('fields', fields)`)};
    end if;

  elsif act = 'disable' then
    if callboard.disable_subscription(
      p_account_id, p_mode, p_id, p_act ->> 'reason', array(select jsonb_array_elements_text(p_act -> 'replaces'))
    ) then
      outcome := 'changed';
    end if;

  elsif act = 'enable' then
    if not p_act -> 'from' ? own.disabled_reason then
      outcome := 'refused';
    else
      if own.state = 'disabled' then
        perform callboard.enable_subscription(p_account_id, p_mode, p_id);
        outcome := 'changed';
      end if;
      if confirming_key is not null and confirming_key is distinct from own.confirmed_by then
        update callboard.subscriptions s set confirmed_by = confirming_key where ${OWN};
        outcome := 'changed';
      end if;
    end if;

  elsif act = 'skip_to_now' then
    if own.state = 'disabled' then
      outcome := 'refused';
    else
      perform callboard.end_pending(p_account_id, p_mode, p_id, 'skipped');
      outcome := 'changed';
    end if;

  elsif act = 'set_ordering' and p_act ->> 'ordering' <> own.ordering then
    update callboard.subscriptions s set ordering = p_act ->> 'ordering' where ${OWN};
    if p_act ->> 'ordering' = 'none' then
      update callboard.retries r set due_at = callboard.clock() where ${OWN_RETRIES} and r.due_at is null;
      if found then
        update callboard.lanes l
        set nudged = l.nudged or l.state = 'leased',
          wake_at = case when l.state = 'idle' then callboard.clock() else l.wake_at end
        where ${OWN_LANE};
      end if;
    end if;
    outcome := 'changed';

  elsif act = 'rotate_secret' then
    if p_act ->> 'from' <> own.secret then
      outcome := 'refused';
    else
      update callboard.subscriptions s
      set former_secret = s.secret, secret = p_act ->> 'sealedSecret',
        former_secret_expires_at = callboard.clock() + (p_act -> 'overlapMs')::float8 * interval '1 ms',
        confirmed_by = coalesce(confirming_key, s.confirmed_by)
      where ${OWN};
      outcome := 'changed';
    end if;

  elsif act = 'start_backfill' then
    if own.state = 'disabled' then
      outcome := 'refused';
    elsif callboard.start_backfill(p_account_id, p_mode, p_id, (p_act ->> 'since')::timestamptz) then
      outcome := 'changed';
    end if;

  elsif act = 'cancel_backfill' and lane.backfill_state = 'running' then
    update callboard.lanes l set backfill_state = 'cancelled' where ${OWN_LANE};
    outcome := 'changed';

  elsif act = 'remove' and own.state <> 'removed' then
    -- Without the lane, a worker that holds a lease can record nothing more. Attempts stay in the log.
    update callboard.subscriptions s set state = 'removed', changed_at = callboard.clock() where ${OWN};
    ${indented(4, removeTypes('own.event_types'))};
    delete from callboard.lanes l where ${OWN_LANE};
    delete from callboard.retries r where ${OWN_RETRIES};
    outcome := 'changed';
  end if;

  if outcome = 'changed' then
    ${indented(4, recordEntry('p_entry'))};
    if act <> 'remove' then
      select s.* into subscription from callboard.subscriptions s where ${OWN};
    end if;
  end if;
  return next;
end $$`,
}
