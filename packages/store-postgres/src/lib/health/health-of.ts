import { CAPS, PERIODS } from '@callboard/core/store'
import { newestLane } from '../lanes/lane-key.ts'
import { JOIN_CONFIRMING_KEY, MAY_SEE_PERSONAL_DATA } from '../lanes/standing.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { LAST_ATTEMPT, rowByKey } from '../sql/row-by-key.ts'
import { selectionsOf } from '../subscriptions/selections.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from '../subscriptions/subscription-row.ts'
import { wasBefore } from '../subscriptions/was-before.ts'
import { attends } from '../workers/attends.ts'

export interface HealthRow extends SubscriptionRow {
  /** The database's time, in milliseconds since 1970. */
  clock: number
  failing_since: number | null
  failed_attempts: number
  paused_until: number | null
  next_attempt_at: number | null
  sends_personal_data: boolean
  disabled_at: number | null
  /** What attending workers report about the target's host; null if they report nothing, or if the lane is not due. */
  held_back: unknown[] | null
  retrying: number
  oldest_pending_at: number | null
  event_id: string | null
  outcome: 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired' | null
  status: number | null
  reason: string | null
  started_at: number | null
  duration_ms: number | null
  hours: CountedPeriod[] | null
}

/**
 * The number of an hour or a day, how many of its attempts succeeded and how many failed, and how long they took in
 * total.
 */
export type CountedPeriod = [period: number, delivered: number, failed: number, durationMs: number]

/** SQL for an account and a mode. */
export interface SqlOwner {
  readonly accountId: string
  readonly mode: string
}

const ofOwner = (row: string, { accountId, mode }: SqlOwner): string =>
  `${row}.account_id = ${accountId} and ${row}.mode = ${mode}`

const lastAttempt = ({ accountId, mode }: SqlOwner): string =>
  rowByKey('attempts', { account_id: accountId, mode, subscription_id: 'i.id' }, LAST_ATTEMPT)

const ms = (time: string): string => `extract(epoch from ${time})::float8 * 1000`

/**
 * SQL for the time at which the oldest pending event was published. For each event type, it looks only at the first ten
 * positions after `settled_through`. Reads the rows `s` and `l` of the subscription.
 */
export const oldestPending = (owner: SqlOwner): string => `
  select f.published_at from ${selectionsOf('s')} t
  cross join lateral (
    select e.published_at, g.position
    from (
      select y.position, y.event_id from callboard.feed y
      where ${ofOwner('y', owner)} and y.type = t.type
        and y.position > greatest(l.settled_through, t.after) and y.position <= t.through
      order by y.position limit 10
    ) g
    cross join lateral ${eventByKey(owner.accountId, owner.mode, 'g.event_id')} e
    where not ${wasBefore('e', 'l')}
    order by g.position limit 1
  ) f
  where s.state = 'active' and l.head > l.settled_through
  order by f.position limit 1`

/**
 * SQL for what the workers report about the target's host, if the lane is due. The JSON path is in lax mode, so a
 * report of another shape is ignored.
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
 * SQL for the health of the subscriptions whose ids are in `shown`. `owner` is SQL for their account and mode; it may
 * name columns of `shown i`. Each subquery looks up a limited number of rows by key, however large the account is.
 */
export const healthOf = (owner: SqlOwner): string => `
select i.id as place, s.*, ${ms('n.at')} as clock, ${ms('l.failing_since')} as failing_since, l.failed_attempts,
  ${ms(`case when l.state = 'paused' and l.wake_at > n.at then l.wake_at end`)} as paused_until,
  ${ms(`case when l.state in ('idle', 'paused') or l.state = 'leased' and l.wake_at <= n.at then l.wake_at end`)} as next_attempt_at,
  m.sends_personal_data,${HELD_BACK},
  case when s.state = 'disabled' then ${ms('s.changed_at')} end as disabled_at,
  case when s.state = 'active' then w.n else 0 end as retrying, ${ms('p.published_at')} as oldest_pending_at,
  a.event_id::text as event_id, a.outcome, a.status::int as status, a.reason, ${ms('a.started_at')} as started_at,
  a.duration_ms, h.hours
from shown i
cross join (
  select c.at, floor(extract(epoch from c.at) / 3600)::int as hour from (select callboard.clock() as at) c
) n
cross join lateral (
  select ${SUBSCRIPTION_COLUMNS},
    x.types_after, x.previous_types, x.previous_after, x.earlier_types, x.changed_at
  from callboard.subscriptions x where ${ofOwner('x', owner)} and x.id = i.id limit 1
) s
cross join lateral (
  select ${MAY_SEE_PERSONAL_DATA} as sends_personal_data
  from (select * from callboard.subscriptions x where ${ofOwner('x', owner)} and x.id = i.id limit 1) s
  ${JOIN_CONFIRMING_KEY}
) m
cross join lateral ${newestLane({ ...owner, id: 'i.id' })} l
left join lateral ${lastAttempt(owner)} a on true
cross join lateral (
  select count(*)::int as n from (
    select from callboard.retries x where ${ofOwner('x', owner)} and x.subscription_id = i.id
    order by x.event_id limit ${CAPS.retries}
  ) r
) w
cross join lateral (
  select json_agg(json_build_array(c.hour, c.delivered, c.failed, c.duration_ms)) as hours from (
    (
      select x.hour, x.delivered, x.failed, x.duration_ms from callboard.lane_hours x
      where ${ofOwner('x', owner)} and x.subscription_id = i.id and x.hour > n.hour - ${PERIODS.day.length}
      order by x.hour limit ${PERIODS.day.length}
    )
    union all select l.hour, l.hour_delivered, l.hour_failed, l.hour_ms where l.hour is not null
  ) c
) h
left join lateral (${oldestPending(owner)}
) p on true`
