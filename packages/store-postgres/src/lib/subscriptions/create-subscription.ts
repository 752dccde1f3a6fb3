import { subscriptionsLock } from '../accounts/account-locks.ts'
import { recordEntry } from '../audit/record-entry.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { idOf } from '../sql/id-of.ts'
import { indented } from '../sql/indented.ts'
import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export interface CreateParameters extends SubscriptionKey {
  readonly source: string
  readonly identity: Uint8Array | null
  readonly enablesFrom: readonly string[]
  readonly targetUrl: string
  /** Name and port of the target. */
  readonly host: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef: string | null
  readonly description: string | null
  readonly apiVersion: string
  readonly secret: string
  /** JSON; null for the standard. */
  readonly signatures: string | null
  /** A UUID. */
  readonly confirmedBy: string | null
  readonly personalData: boolean | null
  readonly total: number
  readonly newPerMinute: number
  readonly entry: string
}

export type CreateRow =
  | (SubscriptionRow & { readonly outcome: 'created' | 'confirmed' | 'existing' })
  | { readonly outcome: 'limit_reached' | 'account_unknown' }
  | { readonly outcome: 'too_many_new'; readonly wait_ms: number }

export const createSubscription: Statement<CreateRow, CreateParameters> = {
  name: 'create-subscription',
  text: `
select outcome, wait_ms, ${SUBSCRIPTION_COLUMNS}
from (
  select r.outcome, r.wait_ms, (r.subscription).*
  from callboard.create_subscription(
    :accountId, :mode, :id::uuid, :source, :identity::bytea, :enablesFrom::text[], :targetUrl, :host,
    :eventTypes::text[], :integration, :externalRef, :description, :apiVersion, :secret, :signatures::jsonb,
    :confirmedBy::uuid, :personalData::boolean, :total::int, :newPerMinute::int, :entry::jsonb
  ) r
) s`,
}

const MINUTE_AGO = `callboard.clock() - interval '1 minute'`

/**
 * Creates a subscription, or finds the one with the same identity, as `SubscriptionStore.createSubscription` says.
 *
 * Only one transaction at a time creates subscriptions of an account, so that it counts all of them against the limits,
 * and finds the one with the same identity if there is one. That lock is for both modes, because the new subscriptions
 * of both are counted together. The sequencer's row is locked, because otherwise a pass could miss the new lane.
 */
export const createSubscriptionFunction: DatabaseFunction = {
  name: 'create_subscription',
  text: `
create or replace function callboard.create_subscription(
  p_account_id text, p_mode text, p_id uuid, p_source text, p_identity bytea, p_enables_from text[],
  p_target_url text, p_host text, p_event_types text[], p_integration text, p_external_ref text, p_description text,
  p_api_version text, p_secret text, p_signatures jsonb, p_confirmed_by uuid, p_personal_data boolean,
  p_total int, p_new_per_minute int, p_entry jsonb
) returns table (outcome text, wait_ms float8, subscription callboard.subscriptions)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  confirming_key uuid;
  own callboard.subscriptions;
begin
  perform ${subscriptionsLock('p_account_id')};
  confirming_key := callboard.current_key(p_account_id, p_confirmed_by);

  if p_identity is not null then
    select s.* into own from callboard.subscriptions s
    where s.account_id = p_account_id and s.mode = p_mode and s.identity = p_identity and s.state <> 'removed';
  end if;
  if own.id is not null then
    if own.state = 'disabled' then
      perform from callboard.sequencer for update;
    end if;
    perform from callboard.lanes l
    where l.account_id = p_account_id and l.mode = p_mode and l.subscription_id = own.id for update;
    select s.* into subscription from callboard.subscriptions s
    where s.account_id = p_account_id and s.mode = p_mode and s.id = own.id for no key update;
    if subscription.state = 'removed' or (own.state = 'active' and subscription.state <> 'active') then
      raise exception 'the subscription has changed meanwhile' using errcode = 'serialization_failure';
    end if;
    outcome := 'existing';
    if subscription.disabled_reason = any (p_enables_from) then
      perform callboard.enable_subscription(p_account_id, p_mode, own.id);
      outcome := 'confirmed';
    end if;
    if confirming_key is distinct from subscription.confirmed_by then
      update callboard.subscriptions s set confirmed_by = confirming_key
      where s.account_id = p_account_id and s.mode = p_mode and s.id = own.id;
      outcome := 'confirmed';
    end if;
    if outcome = 'confirmed' then
      p_entry := p_entry || jsonb_build_object('action', 'subscription.confirmed', 'object_id', own.id);
      ${indented(6, recordEntry('p_entry'))};
      select s.* into subscription from callboard.subscriptions s
      where s.account_id = p_account_id and s.mode = p_mode and s.id = own.id;
    end if;
    return next;
    return;
  end if;

  if p_total <= (
    select count(*) from callboard.subscriptions s
    where s.account_id = p_account_id and s.mode = p_mode and s.state <> 'removed'
  ) then
    outcome := 'limit_reached';
    return next;
    return;
  end if;
  -- Reads the ids of the last minute and of the two hours before it, because the clocks of the processes that generate
  -- ids differ. There is no index on created_at, because Postgres would use it for other statements too: the overview
  -- then read 83 blocks instead of at most 40.
  select (extract(epoch from s.created_at - (${MINUTE_AGO})) * 1000)::float8 into wait_ms
  from callboard.subscriptions s
  where s.account_id = p_account_id and s.mode in ('live', 'test')
    and s.import_digest is null and s.id > ${idOf(`${MINUTE_AGO} - interval '2 hours'`)} and s.created_at > ${MINUTE_AGO}
  order by s.created_at desc offset p_new_per_minute - 1 limit 1;
  if found then
    outcome := 'too_many_new';
    return next;
    return;
  end if;

  perform from callboard.sequencer for update;
  -- The subscription receives the events that are not visible in the lane's snapshot. It is one statement, because
  -- created_at must be read after the snapshot was taken: an event that becomes visible later must not count as older
  -- than the subscription.
  with created as (
    insert into callboard.subscriptions
      (account_id, mode, id, source, identity, target_url, event_types, integration, external_ref, description,
      api_version, secret, signatures, confirmed_by, personal_data)
    select a.id, p_mode, p_id, p_source, p_identity, p_target_url, p_event_types, p_integration, p_external_ref,
      p_description, p_api_version, p_secret, p_signatures, confirming_key, p_personal_data
    from callboard.accounts a where a.id = p_account_id and a.deleted_at is null
    returning *
  ),
  matched as (
    insert into callboard.subscription_types (account_id, mode, type, subscription_id)
    select c.account_id, c.mode, t.type, c.id from created c cross join lateral unnest(c.event_types) t(type)
    on conflict do nothing
  ),
  started as (
    insert into callboard.lanes
      (account_id, mode, subscription_id, host, start, settled_through, head, began, since, since_at, start_since,
        start_since_at)
    select c.account_id, c.mode, c.id, p_host, q.position, q.position, q.position, q.position,
      pg_current_snapshot(), c.created_at, pg_current_snapshot(), c.created_at
    from created c, callboard.sequencer q
  )
  select c.* into subscription from created c;
  if not found then
    outcome := 'account_unknown';
    return next;
    return;
  end if;
  outcome := 'created';
  ${indented(2, recordEntry('p_entry'))};
  return next;
end $$`,
}
