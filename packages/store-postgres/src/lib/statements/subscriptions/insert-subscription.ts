import type { Statement, SubscriptionKey } from '../statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export interface InsertSubscriptionParameters extends SubscriptionKey {
  readonly source: string
  readonly identity: Uint8Array | null
  readonly targetUrl: string
  /** Name and port of the target. */
  readonly host: string
  readonly eventTypes: readonly string[]
  readonly integration: string
  readonly externalRef: string | null
  readonly description: string | null
  readonly apiVersion: string
  readonly secret: string
  /** A UUID. */
  readonly confirmedBy: string | null
  readonly personalData: boolean | null
}

/**
 * Inserts a subscription, the event types by which it is matched, and its lane. The subscription receives the events
 * that are not visible in the lane's snapshot. It is one statement, because `created_at` must be read after the
 * snapshot was taken: an event that becomes visible later must not count as older than the subscription.
 */
export const insertSubscription: Statement<SubscriptionRow, InsertSubscriptionParameters> = {
  name: 'insert-subscription',
  text: `
with created as (
  insert into callboard.subscriptions
    (account_id, mode, id, source, identity, target_url, event_types, integration, external_ref, description,
    api_version, secret, confirmed_by, personal_data)
  select a.id, :mode, :id::uuid, :source, :identity::bytea, :targetUrl, :eventTypes::text[], :integration,
    :externalRef, :description, :apiVersion, :secret, :confirmedBy::uuid, :personalData::boolean
  from callboard.accounts a where a.id = :accountId and a.deleted_at is null
  returning *
),
matched as (
  insert into callboard.subscription_types (account_id, mode, type, subscription_id)
  select c.account_id, c.mode, t.type, c.id from created c cross join lateral unnest(c.event_types) t(type)
  on conflict do nothing
),
started as (
  insert into callboard.lanes
    (account_id, mode, subscription_id, host, start, cursor, head, since, since_at, start_since, start_since_at)
  select c.account_id, c.mode, c.id, :host, q.position, q.position, q.position,
    pg_current_snapshot(), c.created_at, pg_current_snapshot(), c.created_at
  from created c, callboard.sequencer q
)
select ${SUBSCRIPTION_COLUMNS} from created`,
}
