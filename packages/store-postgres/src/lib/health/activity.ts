import { type ActivityRange, CAPS, ENOUGH_ATTEMPTS, PERIODS } from '@callboard/core/store'
import { newestLane } from '../lanes/lane-key.ts'
import { type OwnerParameters, PAGE, type Statement } from '../sql/statement.ts'
import { selectionColumns, selectionsOf } from '../subscriptions/selections.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from '../subscriptions/subscription-row.ts'
import { type CountedPeriod, oldestPending } from './health-of.ts'
import { COUNTS, OWNER, ofAccount } from './overview.ts'

/**
 * These columns are the same on every row. If no subscription has attempts in the range, there is one row, with a null
 * `id`.
 */
export interface ActivityColumns {
  /** The database's time, in milliseconds since 1970. */
  clock: number
  counted: number
  failing: number
  disabled: number
  pending: number
  oldest_pending_at: number | null
  retrying: number
  /** The counted attempts of all subscriptions together, by period. */
  all_periods: CountedPeriod[] | null
}

/** One row for each of the slowest subscriptions, slowest first. */
export type ActivityRow = ActivityColumns &
  ((SubscriptionRow & { readonly periods: CountedPeriod[] | null }) | { readonly id: null })

export interface ActivityParameters extends OwnerParameters {
  /** How many of the slowest subscriptions to show. */
  readonly limit: number
}

const newest = (state: 'active' | 'disabled'): string => `
  select x.id from callboard.subscriptions x where ${ofAccount('x')} and x.state = '${state}'
  order by x.id desc limit ${CAPS.summed}`

/** SQL for the ids of an account's newest subscriptions. */
export const NEWEST: string = `
  (${newest('active')}
  ) union all (${newest('disabled')}
  ) order by id desc limit ${CAPS.summed}`

/**
 * The search for the oldest pending event looks at no more than this many lanes: those with the earliest wake times.
 */
const OLDEST_OF = 20

/** SQL for the subscription of lane `l`. */
const SUBSCRIPTION = `(
    select x.id, x.state, ${selectionColumns('x')} from callboard.subscriptions x
    where ${ofAccount('x')} and x.id = l.id limit 1
  )`

interface StoredPeriods {
  readonly table: 'lane_hours' | 'lane_days'
  readonly column: 'hour' | 'day'
  /** SQL for the period of an hour. */
  of(hour: string): string
}

const DAYS: StoredPeriods = { table: 'lane_days', column: 'day', of: (hour) => `${hour} / 24` }

const STORED: Readonly<Record<ActivityRange, StoredPeriods>> = {
  day: { table: 'lane_hours', column: 'hour', of: (hour) => hour },
  week: DAYS,
  month: DAYS,
}

const COUNTED = 'json_agg(json_build_array(c.period, c.delivered, c.failed, c.duration_ms))'

/**
 * Sums up the attempts of many subscriptions in one pass: by period, and by subscription. The days have rows of their
 * own, because reading all hours of a week took 60 ms for 500 subscriptions. Only lanes that are behind are searched
 * for pending events.
 */
const activity = (range: ActivityRange): Statement<ActivityRow, ActivityParameters> => {
  const { table, column, of } = STORED[range]
  const { length, ms } = PERIODS[range]
  /** SQL for the past periods of a subscription. */
  const past = (id: string): string => `
      select y.${column} as period, y.delivered, y.failed, y.duration_ms from callboard.${table} y
      where ${ofAccount('y')} and y.subscription_id = ${id} and y.${column} > (select n.period - ${length} from n)
      order by y.${column} limit ${length}`
  /** SQL for the hour that the lane's own row counts, with the period to which the hour belongs. */
  const current = `${of('l.hour')} as period, l.hour_delivered, l.hour_failed, l.hour_ms`
  return {
    ...PAGE,
    name: `activity-${range}`,
    text: `
with n as materialized (
  select c.at, floor(extract(epoch from c.at) / ${ms / 1000})::int as period from (select callboard.clock() as at) c
),
looked as materialized (${NEWEST}
),
lane as materialized (
  select k.id, l.state, l.settled_through, l.head, l.since, l.since_at, l.wake_at,
    l.hour, l.hour_delivered, l.hour_failed, l.hour_ms
  from looked k cross join lateral ${newestLane({ ...OWNER, id: 'k.id' })} l
),
summed as materialized (
  select c.id, c.period, sum(c.delivered)::bigint as delivered, sum(c.failed)::bigint as failed,
    sum(c.duration_ms)::bigint as duration_ms
  from (
    select k.id, x.* from looked k cross join lateral (${past('k.id')}
    ) x
    union all select l.id, ${current} from lane l where ${of('l.hour')} > (select n.period - ${length} from n)
  ) c
  group by grouping sets ((c.id), (c.period))
),
attempted as materialized (
  select c.id, c.delivered + c.failed as attempts, c.duration_ms::float8 / (c.delivered + c.failed) as mean
  from summed c where c.id is not null and c.delivered + c.failed > 0
),
slowest as materialized (
  select a.id, a.mean from attempted a
  where a.attempts >= ${ENOUGH_ATTEMPTS} or not exists (select from attempted x where x.attempts >= ${ENOUGH_ATTEMPTS})
  order by a.mean desc, a.id desc limit :limit::int
),
behind as materialized (
  select l.* from lane l where l.state <> 'disabled' and l.head > l.settled_through
),
pending as materialized (
  select count(*)::int as n from (
    select from behind l
    cross join lateral ${SUBSCRIPTION} s
    cross join lateral ${selectionsOf('s')} t
    cross join lateral (
      select from callboard.feed y
      where ${ofAccount('y')} and y.type = t.type
        and y.position > greatest(l.settled_through, t.after) and y.position <= t.through
      order by y.position limit ${CAPS.waiting}
    ) f
    limit ${CAPS.waiting}
  ) x
),
oldest as materialized (
  select min(p.published_at) as at
  from (select * from behind order by wake_at limit ${OLDEST_OF}) l
  cross join lateral ${SUBSCRIPTION} s
  cross join lateral (${oldestPending(OWNER)}
  ) p
),
retrying as materialized (
  select count(*)::int as n from (
    select from lane l cross join lateral (
      select from callboard.retries x where ${ofAccount('x')} and x.subscription_id = l.id
      order by x.event_id limit ${CAPS.waiting}
    ) r
    where l.state <> 'disabled' limit ${CAPS.waiting}
  ) x
)
select extract(epoch from n.at)::float8 * 1000 as clock, c.counted, c.failing, c.disabled,
  p.n as pending, extract(epoch from o.at)::float8 * 1000 as oldest_pending_at, r.n as retrying,
  (select ${COUNTED} from summed c where c.period is not null) as all_periods, s.*
from n
cross join (${COUNTS}
) c
cross join pending p
cross join oldest o
cross join retrying r
left join lateral (
  select k.mean, s.*, (
    select ${COUNTED} from (
      select c.period, sum(c.delivered)::bigint as delivered, sum(c.failed)::bigint as failed,
        sum(c.duration_ms)::bigint as duration_ms
      from ((${past('k.id')}
      ) union all select ${current} from lane l where l.id = k.id and l.hour is not null) c
      group by c.period
    ) c
  ) as periods
  from slowest k
  cross join lateral (
    select ${SUBSCRIPTION_COLUMNS} from callboard.subscriptions x where ${ofAccount('x')} and x.id = k.id limit 1
  ) s
) s on true
order by s.mean desc, s.id desc`,
  }
}

export const activities: Readonly<Record<ActivityRange, Statement<ActivityRow, ActivityParameters>>> = {
  day: activity('day'),
  week: activity('week'),
  month: activity('month'),
}
