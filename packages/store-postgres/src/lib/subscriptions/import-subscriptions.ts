import type { ImportOutcome } from '@callboard/core/store'
import { subscriptionsLock } from '../accounts/account-locks.ts'
import { recordEntry } from '../audit/record-entry.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { indented } from '../sql/indented.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { Statement } from '../sql/statement.ts'

export interface ImportRow {
  n: number
  /** Null if another transaction has stored the subscription, or given it its identity, during the call. */
  outcome: ImportOutcome['outcome'] | null
  /** The row that an `existing` subscription has. */
  id: string | null
}

export const importSubscriptions: Statement<
  ImportRow,
  { readonly items: string; readonly total: number; readonly dryRun: boolean }
> = {
  name: 'import-subscriptions',
  text: `
select n, outcome, id::text as id
from callboard.import_subscriptions(:items::jsonb, :total::int, :dryRun::boolean) order by n`,
}

/** The items, numbered from 1. `identity` is in hexadecimal digits, and `signatures` null for the standard. */
const ITEMS = `jsonb_to_recordset(p_items) as i(
      n int, account_id text, mode text, id uuid, own_id text, named boolean, digests text[], identity text,
      target_url text, host text, event_types text[], integration text, external_ref text, description text,
      api_version text, secret text, former_secret text, former_secret_expires_at timestamptz, signatures jsonb,
      personal_data boolean, disabled_reason text, created_at timestamptz, entry jsonb
    )`

/**
 * Imports subscriptions, as `SubscriptionStore.importSubscriptions` says. `p_items` is a JSON array of the items.
 *
 * The locks are those of `create_subscription`, for each account, in the order of the accounts. So nothing changes
 * between the statement that decides and the one that inserts, except that another account may get the same id. Such an
 * item is left out, and its outcome is null.
 */
export const importSubscriptionsFunction: DatabaseFunction = {
  name: 'import_subscriptions',
  text: `
create or replace function callboard.import_subscriptions(p_items jsonb, p_total int, p_dry_run boolean)
returns table (n int, outcome text, id uuid)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  account text;
  outcomes text[];
  ids uuid[];
  stored int[];
begin
  for account in select distinct i.account_id collate "C" from ${ITEMS} order by 1 loop
    perform ${subscriptionsLock('account')};
  end loop;

  with known as materialized (
    select i.n, i.account_id, i.mode, i.identity, k.id,
      case
        when a.id is null then 'account_unknown'
        when k.id is null then null
        when k.account_id <> i.account_id or k.mode <> i.mode or k.import_digest is null then 'taken'
        when k.state = 'removed' then 'removed'
        -- Digests that were made with different secret keys cannot be compared.
        when k.import_digest <> all (i.digests) and split_part(k.import_digest, '.', 1) in (
          select split_part(d, '.', 1) from unnest(i.digests) d
        ) then 'changed'
        else 'existing'
      end as outcome
    from ${ITEMS}
    left join lateral (
      select x.id from callboard.accounts x where x.id = i.account_id and x.deleted_at is null limit 1
    ) a on true
    left join lateral (
      select s.* from ${rowByKey('subscriptions', { id: 'i.id' })} s
      union all
      select s.* from ${rowByKey('subscriptions', { own_id: 'i.own_id' })} s
      union all
      select s.* from unnest(i.digests) d
      -- Not rowByKey: only an equality proves that the digest is not null, as the index on it demands.
      cross join lateral (
        select x.*, x.ctid as row_id from callboard.subscriptions x
        where x.account_id = i.account_id and x.mode = i.mode and x.import_digest = d
        order by x.import_digest limit 1
      ) s
      where not i.named
      limit 1
    ) k on true
  ),
  room as (
    -- Counts in the order of an index, because the planner may otherwise read the other mode too.
    select o.account_id, o.mode, p_total - (
      select count(*) from (
        select from callboard.subscriptions s
        where s.account_id = o.account_id and s.mode = o.mode and s.state <> 'removed'
        order by s.created_at desc, s.id desc limit p_total
      ) x
    ) as room
    from (select distinct k.account_id, k.mode from known k where k.outcome is null) o
  ),
  fresh as (
    select k.n, r.room,
      row_number() over (partition by k.account_id, k.mode order by k.n) as place,
      row_number() over (partition by k.account_id, k.mode, k.identity order by k.n) > 1 or exists (
        select from callboard.subscriptions s
        where s.account_id = k.account_id and s.mode = k.mode and s.identity = decode(k.identity, 'hex')
          and s.state <> 'removed'
      ) as is_duplicate
    from known k join room r on r.account_id = k.account_id and r.mode = k.mode
    where k.outcome is null
  )
  select array_agg(d.outcome order by d.n), array_agg(d.id order by d.n) into outcomes, ids
  from (
    select k.n, k.id, coalesce(
      k.outcome, case when f.place > f.room then 'limit_reached' when f.is_duplicate then 'duplicate' else 'imported' end
    ) as outcome
    from known k left join fresh f on f.n = k.n
  ) d;

  if not p_dry_run and outcomes && '{imported,duplicate}' then
    perform from callboard.sequencer for update;
    -- One statement, and the lane's times are read in it, for the reason given in create_subscription.
    with item as materialized (
      select i.* from ${ITEMS} where outcomes[i.n] in ('imported', 'duplicate')
    ),
    created as (
      insert into callboard.subscriptions
        (account_id, mode, id, own_id, import_digest, source, identity, target_url, event_types, integration,
        external_ref, description, api_version, secret, former_secret, former_secret_expires_at, signatures, state,
        disabled_reason, personal_data, created_at)
      select i.account_id, i.mode, i.id, i.own_id, i.digests[1], 'api',
        case when outcomes[i.n] = 'imported' then decode(i.identity, 'hex') end, i.target_url, i.event_types,
        i.integration, i.external_ref, i.description, i.api_version, i.secret, i.former_secret,
        i.former_secret_expires_at, i.signatures, case when i.disabled_reason is null then 'active' else 'disabled' end,
        i.disabled_reason, i.personal_data, i.created_at
      from item i order by i.n
      on conflict do nothing
      returning *
    ),
    matched as (
      insert into callboard.subscription_types (account_id, mode, type, subscription_id)
      select c.account_id, c.mode, t.type, c.id from created c cross join lateral unnest(c.event_types) t(type)
      where c.state = 'active'
      on conflict do nothing
    ),
    started as (
      insert into callboard.lanes
        (account_id, mode, subscription_id, state, host, start, settled_through, head, began, since, since_at,
        start_since, start_since_at)
      select c.account_id, c.mode, c.id, case when c.state = 'active' then 'idle' else 'disabled' end, i.host,
        q.position, q.position, q.position, q.position, pg_current_snapshot(), c.changed_at, pg_current_snapshot(),
        c.changed_at
      from created c join item i on i.id = c.id cross join callboard.sequencer q
    ),
    recorded as (
      ${indented(6, recordEntry('i.entry', 'created c join item i on i.id = c.id'))}
    )
    select coalesce(array_agg(i.n), '{}') into stored from created c join item i on i.id = c.id;
  end if;

  return query
    select d.n::int,
      case when d.outcome in ('imported', 'duplicate') and not d.n = any (stored) then null else d.outcome end, d.id
    from unnest(outcomes, ids) with ordinality d(outcome, id, n);
end $$`,
}
