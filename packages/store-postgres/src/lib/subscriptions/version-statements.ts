import { recordEntry, withDetails } from '../audit/record-entry.ts'
import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export interface PinnedRow {
  version: string
  subscriptions: number
  keys: number
}

export const pinnedVersions: Statement<PinnedRow> = {
  name: 'pinned-versions',
  text: `
select version, sum(subscriptions)::int as subscriptions, sum(keys)::int as keys
from (
  select api_version as version, count(*) as subscriptions, 0 as keys
  from callboard.subscriptions where state <> 'removed' group by api_version
  union all
  select api_version, 0, count(*) from callboard.api_keys
  where revoked_at is null and successor_id is null and (expires_at is null or expires_at > callboard.clock())
  group by api_version
) pinned
group by version order by version desc`,
}

/**
 * Makes the planner use the index `events_version` in this transaction. Without statistics about the versions, the
 * planner would choose a scan, which would read the whole table.
 */
export const avoidScans: Statement<{ set: string }> = {
  name: 'avoid-scans',
  text: `select set_config('enable_seqscan', 'off', true) as set`,
}

export interface EventsBetweenParameters {
  /** The lower ends of ranges of versions; `below` has the upper ends. No range includes its ends. */
  readonly above: readonly string[]
  readonly below: readonly string[]
  readonly limit: number
}

/** Counts the events of each version in the given ranges, reading at most `limit` events of each range. */
export const eventsBetween: Statement<{ version: string; events: number }, EventsBetweenParameters> = {
  name: 'events-between',
  text: `
select found.version, count(*)::int as events
from unnest(:above::text[], :below::text[]) asked (above, below)
cross join lateral (
  select split_part(e.body, '"', 12) as version from callboard.events e
  where split_part(e.body, '"', 12) > asked.above and split_part(e.body, '"', 12) < asked.below
  limit :limit::int
) found
group by found.version order by found.version desc`,
}

export const subscriptionsInVersion: Statement<
  SubscriptionRow,
  { version: string; after: SubscriptionKey; limit: number }
> = {
  name: 'subscriptions-in-version',
  text: `
select ${SUBSCRIPTION_COLUMNS} from callboard.subscriptions s
where api_version = :version and state <> 'removed'
  and (account_id, mode, s.id) > (:after.accountId, :after.mode, :after.id::uuid)
order by account_id, mode, s.id limit :limit::int`,
}

export const moveVersion: Statement<
  { subscriptions: number; keys: number },
  { from: string; to: string; entry: string }
> = {
  name: 'move-version',
  text: `
with subscriptions as (
  update callboard.subscriptions set api_version = :to
  where api_version = :from and state <> 'removed' returning id
),
keys as (
  update callboard.api_keys set api_version = :to where api_version = :from
  returning revoked_at is null and successor_id is null
    and (expires_at is null or expires_at > callboard.clock()) as counts
),
moved as (
  select (select count(*) from subscriptions)::int as subscriptions,
    (select count(*) from keys where counts)::int as keys
),
recorded as (
  ${recordEntry(withDetails(':entry::jsonb', 'to_jsonb(moved)'), 'moved')}
  where moved.subscriptions + moved.keys > 0
)
select * from moved`,
}
