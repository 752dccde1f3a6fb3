import { COUNTED_RETRIES, COUNTED_SUBSCRIPTIONS, HEALTH_HOURS, type OverviewState } from '@callboard/core/store'
import { attends } from '../../fragments/attends.ts'
import { eventByKey } from '../../fragments/event-by-key.ts'
import { newestLane } from '../../fragments/lane-key.ts'
import { LAST_ATTEMPT, rowByKey } from '../../fragments/row-by-key.ts'
import { shareOf } from '../../fragments/share.ts'
import { wasBefore } from '../../fragments/was-before.ts'
import type { OwnerParameters, Statement, SubscriptionKey } from '../statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-row.ts'

export interface HealthRow extends SubscriptionRow {
  /** The database's time, in milliseconds since 1970. */
  clock: number
  failing_since: number | null
  failed_attempts: number
  paused_until: number | null
  /** The reports of the workers that attend about the target's host, if the lane waits for that host. */
  held_back: unknown[] | null
  retrying: number
  oldest_pending_at: number | null
  event_id: string | null
  outcome: 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired' | null
  status: number | null
  reason: string | null
  started_at: number | null
  duration_ms: number | null
  /** For each hour: its number, then how many attempts delivered and how many failed. */
  hours: [number, number, number][] | null
}

/** These counts are the same on every row of a page, including the row of a page without subscriptions. */
export interface OverviewCounts {
  looked_at: number
  last_id: string | null
  counted: number
  failing: number
  disabled: number
}

export type OverviewRow = OverviewCounts & (HealthRow | { readonly id: null })

export interface OverviewParameters extends OwnerParameters {
  /** Only subscriptions with a lower id than this UUID. */
  readonly before: string
  /** How many subscriptions to look at. */
  readonly step: number
  /** The text to search for, in lower case; null: all subscriptions. */
  readonly search: string | null
  /** How many to show. */
  readonly limit: number
}

const ms = (time: string): string => `extract(epoch from ${time})::float8 * 1000`

const ofAccount = (row: string): string => `${row}.account_id = :accountId and ${row}.mode = :mode`

const LAST_OF_SUBSCRIPTION = rowByKey(
  'attempts',
  { account_id: ':accountId', mode: ':mode', subscription_id: 'i.id' },
  LAST_ATTEMPT,
)

/**
 * SQL for the time at which the oldest pending event was published. For each event type, it looks only at the first ten
 * positions after the cursor.
 */
const OLDEST_PENDING = `
  select f.published_at from ${shareOf('s')} t
  cross join lateral (
    select e.published_at, g.position
    from (
      select y.position, y.event_id from callboard.feed y
      where ${ofAccount('y')} and y.type = t.type
        and y.position > greatest(l.cursor, t.after) and y.position <= t.through
      order by y.position limit 10
    ) g
    cross join lateral ${eventByKey(':accountId', ':mode', 'g.event_id')} e
    where not ${wasBefore('e', 'l')}
    order by g.position limit 1
  ) f
  where s.state = 'active' and l.head > l.cursor
  order by f.position limit 1`

/**
 * SQL for what the workers report of the target's host, if the lane is due. In the path's lax mode, reports of another
 * shape are no error.
 */
const HELD_BACK = `
  case when l.state in ('idle', 'paused') and l.wake_at <= n.at then (
    select json_agg(r) from callboard.workers w
    cross join lateral jsonb_path_query(
      w.details, '$.heldBack[*] ? (@.host == $host)', jsonb_build_object('host', l.host)
    ) r
    where ${attends('w', 'n.at')}
  ) end as held_back`

/**
 * SQL for the health of the subscriptions whose ids are in `shown`. Each subquery looks up a limited number of rows by
 * key, however large the account is.
 */
const HEALTH = `
select i.id as place, s.*, ${ms('n.at')} as clock, ${ms('l.failing_since')} as failing_since, l.failed_attempts,
  ${ms(`case when l.state = 'paused' and l.wake_at > n.at then l.wake_at end`)} as paused_until,${HELD_BACK},
  case when s.state = 'active' then w.n else 0 end as retrying, ${ms('p.published_at')} as oldest_pending_at,
  a.event_id::text as event_id, a.outcome, a.status::int as status, a.reason, ${ms('a.started_at')} as started_at,
  a.duration_ms, h.hours
from shown i
cross join (
  select c.at, floor(extract(epoch from c.at) / 3600)::int as hour from (select callboard.clock() as at) c
) n
cross join lateral (
  select ${SUBSCRIPTION_COLUMNS},
    x.share_types, x.share_after, x.share_through
  from callboard.subscriptions x where ${ofAccount('x')} and x.id = i.id limit 1
) s
cross join lateral ${newestLane({ accountId: ':accountId', mode: ':mode', id: 'i.id' })} l
left join lateral ${LAST_OF_SUBSCRIPTION} a on true
cross join lateral (
  select count(*)::int as n from (
    select from callboard.retries x where ${ofAccount('x')} and x.subscription_id = i.id
    order by x.event_id limit ${COUNTED_RETRIES}
  ) r
) w
cross join lateral (
  select json_agg(json_build_array(c.hour, c.delivered, c.failed)) as hours from (
    (
      select x.hour, x.delivered, x.failed from callboard.lane_hours x
      where ${ofAccount('x')} and x.subscription_id = i.id and x.hour > n.hour - ${HEALTH_HOURS}
      order by x.hour limit ${HEALTH_HOURS}
    )
    union all select l.hour, l.hour_delivered, l.hour_failed where l.hour is not null
  ) c
) h
left join lateral (${OLDEST_PENDING}
) p on true`

const idsIn = (state: 'active' | 'disabled'): string => `
  select x.id from callboard.subscriptions x
  where ${ofAccount('x')} and x.state = '${state}' and x.id < :before::uuid
  order by x.id desc limit :step::int`

/** SQL for the ids of the subscriptions to look at, newest first. */
const IDS: Readonly<Record<OverviewState | 'all', string>> = {
  active: idsIn('active'),
  disabled: idsIn('disabled'),
  all: `(${idsIn('active')}) union all (${idsIn('disabled')}) order by id desc limit :step::int`,
  failing: `
  select x.subscription_id as id from callboard.lanes x
  where ${ofAccount('x')} and x.failing_since is not null and x.state <> 'disabled'
    and x.subscription_id < :before::uuid
  order by x.subscription_id desc limit :step::int`,
}

/** Counts up to a limit, because counting 10,000 takes 1 ms, half as long as reading a whole page of subscriptions. */
const counted = (table: string, filter: string, order: string): string => `(
    select count(*)::int from (
      select from callboard.${table} x where ${ofAccount('x')} and ${filter}
      order by ${order} limit ${COUNTED_SUBSCRIPTIONS}
    ) x
  )`

/** In the "C" collation, lower() changes only A to Z and takes a tenth of the time. */
const contains = (column: string): string => `strpos(lower(x.${column} collate "C"), :search::text) > 0`

const overview = (state: OverviewState | 'all'): Statement<OverviewRow, OverviewParameters> => ({
  name: `overview-${state}`,
  text: `
with looked as materialized (${IDS[state]}
),
shown as materialized (
  select k.id from looked k
  where :search::text is null or exists (
    select from callboard.subscriptions x where ${ofAccount('x')} and x.id = k.id
      and (${['target_url', 'external_ref', 'integration', 'description'].map(contains).join('\n        or ')})
  )
  order by k.id desc limit :limit::int
),
counts as (
  select ${counted('subscriptions', "x.state = 'active'", 'x.id')} as active,
    ${counted('subscriptions', "x.state = 'disabled'", 'x.id')} as disabled,
    ${counted('lanes', "x.failing_since is not null and x.state <> 'disabled'", 'x.subscription_id')} as failing
)
select k.looked_at, k.last_id, least(c.active + c.disabled, ${COUNTED_SUBSCRIPTIONS}) as counted,
  c.failing, c.disabled, h.*
from counts c
cross join (select count(*)::int as looked_at, min(id::text) as last_id from looked) k
left join (${HEALTH}
) h on true
order by h.place desc`,
})

export const overviews: Readonly<Record<OverviewState | 'all', Statement<OverviewRow, OverviewParameters>>> = {
  all: overview('all'),
  active: overview('active'),
  disabled: overview('disabled'),
  failing: overview('failing'),
}

export const findHealth: Statement<HealthRow, SubscriptionKey> = {
  name: 'find-health',
  text: `
with shown as materialized (
  select x.id from callboard.subscriptions x where ${ofAccount('x')} and x.id = :id::uuid and x.state <> 'removed'
)${HEALTH}`,
}
