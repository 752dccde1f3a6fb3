import type { Statement } from '../statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

/**
 * A subscription with its matching and its lane, which starts from what is not visible yet. One statement, so that `created_at` says the
 * same: it is read after the snapshot was taken, so an event that was published by then and is not visible is the first it may get, and
 * none that was published later is passed over.
 */
export const insertSubscription: Statement<SubscriptionRow> = {
  name: 'insert-subscription',
  text: `
with created as (
  insert into callboard.subscriptions (account_id, mode, id, source, identity, target_url, event_types, integration, external_ref,
    api_version, secret, confirmed_by, personal_data, description)
  select a.id, $2, $3::uuid, $4, $5::bytea, $6, $7::text[], $8, $9, $10, $11, $12::uuid, $13::boolean, $14 from callboard.accounts a where a.id = $1 and a.deleted_at is null
  returning *
),
matched as (
  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select c.account_id, c.mode, t.type, c.id from created c cross join lateral unnest(c.event_types) t(type) on conflict do nothing
),
started as (
  insert into callboard.lanes (account_id, mode, subscription_id, cursor, head, since, since_at, start, start_since, start_since_at)
  select c.account_id, c.mode, c.id, q.position, q.position, pg_current_snapshot(), c.created_at, q.position, pg_current_snapshot(), c.created_at
  from created c, callboard.sequencers q where q.shard = 0
)
select ${SUBSCRIPTION_COLUMNS} from created`,
}
