import { eventByKey } from './event-by-key.ts'
import { judgedDeliveries } from './list-deliveries.ts'
import { rowByKey } from './row-by-key.ts'
import { shareColumns, shareOf } from './share.ts'
import type { Statement } from './statement.ts'

export interface RangeRow {
  /** The last place that was looked at; null: none was. */
  last_place: string | null
  /** Whether there are places behind it. */
  more: boolean
  /** Milliseconds since the epoch. */
  reached_at: number | null
  resent: number
}

/** What is recorded of the subscription, the first places after $4; and all without a place, whose place may have become known since. */
const recorded = (table: string, filter: string): string => {
  const own = `r.account_id = $1 and r.mode = $2 and r.subscription_id = $3::uuid and ${filter}`
  return `
    (select r.event_id from callboard.${table} r where ${own} and coalesce(r.position, 0) > $4::bigint order by coalesce(r.position, 0) limit $5::int + 1)
    union all
    (select r.event_id from callboard.${table} r where ${own} and coalesce(r.position, 0) <= 0)`
}

/**
 * One step of a range, oldest first, after the lane was locked and found not to be disabled. $4 after which position, $5 how
 * many to look at, $6 the states, $7 and $8 published from and before when. What was sent again is in none of these states any more, or is due:
 * a step that is taken twice sends nothing twice.
 *
 * It goes through what is recorded in these states, not through the feed: of a million deliveries, three that had failed were found in
 * two thousand steps.
 */
export const resendRange: Statement<RangeRow> = {
  name: 'resend-range',
  text: `
with lane as materialized (
  select l.subscription_id, l.state, l.cursor, l.start, case when l.state = 'leased' then l.epoch end as held, ${shareColumns('s')}
  from callboard.subscriptions s join callboard.lanes l on l.account_id = $1 and l.mode = $2 and l.subscription_id = s.id
  where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid
),
recorded as materialized (
    select x.event_id from unnest($6::text[]) asked(state) cross join lateral (${recorded('ended_deliveries', 'r.state = asked.state')}
    ) x
    union all
    select x.event_id from (select where 'retrying' = any ($6::text[])) asked cross join lateral (${recorded('retries', 'r.tries > 0')}
    ) x
),
found as materialized (
  select l.subscription_id, c.event_id, c.type, c.position, bool_or(c.added) as added, c.position::text as place, l.state as lane_state, l.cursor
  from (
    select f.event_id, f.type, f.position, true as added
    from recorded r cross join lateral ${rowByKey('feed', { account_id: '$1', mode: '$2', event_id: 'r.event_id' })} f
    where f.position > $4::bigint
    union all
    select f.event_id, f.type, f.position, false
    from lane l
    join callboard.ended_ranges g on g.account_id = $1 and g.mode = $2 and g.subscription_id = l.subscription_id and g.state = any ($6::text[]) and g.through > $4::bigint
    cross join lateral ${shareOf('l')} t
    cross join lateral (
      select x.event_id, x.type, x.position from callboard.feed x
      where x.account_id = $1 and x.mode = $2 and x.type = t.type and x.position > greatest(l.start, t.after, g.after, $4::bigint) and x.position <= least(t.through, g.through)
      order by x.position limit $5::int + 1
    ) f
  ) c
  cross join lane l
  group by l.subscription_id, c.event_id, c.type, c.position, l.state, l.cursor
  order by c.position limit $5::int + 1
),
candidates as materialized (
  select * from found order by position limit $5::int
),
judged as (${judgedDeliveries}
),
chosen as materialized (
  select event_id, position, state from judged
  where state = any ($6::text[]) and published_at >= $7::timestamptz and ($8::timestamptz is null or published_at < $8::timestamptz)
    and (state <> 'retrying' or due_at > callboard.clock())
),
hastened as (
  update callboard.retries r set due_at = callboard.clock(), resent_epoch = l.held from chosen c cross join lane l
  where r.account_id = $1 and r.mode = $2 and r.subscription_id = $3::uuid and r.event_id = c.event_id and c.state = 'retrying' returning 1
),
reopened as (
  delete from callboard.ended_deliveries d using chosen c
  where d.account_id = $1 and d.mode = $2 and d.subscription_id = $3::uuid and d.event_id = c.event_id and c.state <> 'retrying'
),
scheduled as (
  insert into callboard.retries (account_id, mode, subscription_id, event_id, tries, due_at, manual, subject, position)
  select $1, $2, $3::uuid, c.event_id, 0, callboard.clock(), true, e.subject_type || ' ' || e.subject_id, c.position
  from chosen c cross join lateral ${eventByKey('$1', '$2', 'c.event_id')} e
  where c.state <> 'retrying'
  on conflict do nothing returning 1
),
woken as (
  update callboard.lanes l set nudged = l.nudged or l.state = 'leased', wake_at = case when l.state in ('idle', 'paused') then callboard.clock() else l.wake_at end
  where l.account_id = $1 and l.mode = $2 and l.subscription_id = $3::uuid and (exists (select from scheduled) or exists (select from hastened))
)
select max(position)::text as last_place, (select count(*) from found) > $5::int as more,
  (select extract(epoch from max(published_at))::float8 * 1000 from judged) as reached_at,
  ((select count(*) from scheduled) + (select count(*) from hastened))::int as resent
from candidates`,
}
