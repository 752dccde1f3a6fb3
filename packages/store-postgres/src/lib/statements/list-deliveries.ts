import { eventByKey } from './event-by-key.ts'
import { rowByKey } from './row-by-key.ts'
import { isInShare, shareColumns, shareOf } from './share.ts'
import type { Statement } from './statement.ts'

export interface DeliveryRow {
  /** How many places were looked at, and the last of them; on every row. */
  looked_at: number
  last_place: string | null
  /** Null: nothing of what was looked at is to be shown. */
  event_id: string | null
  place: string | null
  subscription_id: string | null
  type: string | null
  state: 'pending' | 'retrying' | 'delivered' | 'exhausted' | 'skipped' | 'expired' | 'disabled' | null
  tries: number | null
  due_at: number | null
  outcome: 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired' | null
  status: number | null
  reason: string | null
  started_at: number | null
}

/** Whether event `e` was there before the subscription of lane `l` was made. */
export const wasBefore: string = `coalesce(e.published_at <= coalesce(l.start_since_at, l.since_at) and pg_visible_in_snapshot(e.xid, coalesce(l.start_since, l.since)), false)`

const delivery = { account_id: '$1', mode: '$2', subscription_id: 'c.subscription_id', event_id: 'c.event_id' }

/**
 * Candidates `c` (a lane's columns, position, event_id, type, added, place) with what became of them. There is no row for a
 * delivery: what is recorded of it says how it stands, in this order, and where nothing is, the lane's cursor does. Each is
 * looked up by its key, one by one: joins of whole tables were planned as scans where statistics were old.
 */
export const judgedDeliveries: string = `
  select c.place, c.subscription_id, c.event_id, c.type, c.position,
    case
      when r.event_id is not null then case when c.lane_state = 'disabled' then 'disabled' when r.tries = 0 then 'pending' else 'retrying' end
      when a.outcome = 'delivered' then 'delivered'
      when d.state is not null then d.state
      when c.position is null or c.position > c.cursor then case when c.lane_state = 'disabled' then 'disabled' else 'pending' end
      when g.through >= c.position then g.state
      else 'delivered'
    end as state,
    coalesce(r.tries, d.tries, a.number, 0) as tries, case when c.lane_state <> 'disabled' then r.due_at end as due_at,
    a.outcome, a.status, a.reason, a.started_at, e.published_at
  from candidates c
  join callboard.lanes l on l.account_id = $1 and l.mode = $2 and l.subscription_id = c.subscription_id
  left join lateral ${eventByKey('$1', '$2', 'c.event_id')} e on true
  left join lateral ${rowByKey('retries', delivery)} r on true
  left join lateral ${rowByKey('ended_deliveries', delivery)} d on true
  left join lateral ${rowByKey('attempts', delivery, 'id')} a on true
  left join lateral (
    select x.state, x.through from callboard.ended_ranges x
    where x.account_id = $1 and x.mode = $2 and x.subscription_id = c.subscription_id and x.after < c.position order by x.after desc limit 1
  ) g on true
  where c.added or not ${wasBefore}`

/**
 * A subscription's share of the feed, and what was added to it by hand. $1 account, $2 mode, $3 subscription, $4 before which
 * position, $5 how many to look at, $6 a type or null.
 */
const candidates = `
  select c.subscription_id, c.event_id, c.type, c.position, bool_or(c.added) as added, c.position::text as place, l.state as lane_state, l.cursor
  from (
    (
      select s.id as subscription_id, f.event_id, t.type, f.position, false as added
      from callboard.subscriptions s
      join callboard.lanes l on l.account_id = $1 and l.mode = $2 and l.subscription_id = s.id
      cross join lateral ${shareOf('s')} t
      cross join lateral (
        select x.position, x.event_id from callboard.feed x
        where x.account_id = $1 and x.mode = $2 and x.type = t.type and x.position > greatest(l.start, t.after) and x.position <= t.through and x.position < $4::bigint order by x.position desc limit $5::int
      ) f
      where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid and ($6::text is null or t.type = $6)
      order by f.position desc limit $5::int
    )
    union all
    (
      select a.subscription_id, a.event_id, f.type, f.position, true
      from callboard.added_deliveries a
      cross join lateral ${rowByKey('feed', { account_id: '$1', mode: '$2', event_id: 'a.event_id' })} f
      where a.account_id = $1 and a.mode = $2 and a.subscription_id = $3::uuid and f.position < $4::bigint and ($6::text is null or f.type = $6)
      order by f.position desc limit $5::int
    )
  ) c
  join callboard.lanes l on l.account_id = $1 and l.mode = $2 and l.subscription_id = c.subscription_id
  group by c.subscription_id, c.event_id, c.type, c.position, l.state, l.cursor
  order by c.position desc limit $5::int`

/** Of `f` what was looked at, of `s` what is shown. */
export const deliveryColumns: string = `
  f.looked_at, f.last_place, s.event_id::text as event_id, s.place, s.subscription_id::text as subscription_id, s.type, s.state, s.tries::int as tries,
  extract(epoch from s.due_at)::float8 * 1000 as due_at, s.outcome, s.status::int as status, s.reason, extract(epoch from s.started_at)::float8 * 1000 as started_at`

/** $4 before which position, $7 a state or null, $8 how many to show. */
export const pageDeliveries: Statement<DeliveryRow> = {
  name: 'page-deliveries',
  text: `
with candidates as materialized (${candidates}
),
judged as (${judgedDeliveries}
),
shown as materialized (
  select * from judged where $7::text is null or state = $7 order by position desc limit $8::int
)
select ${deliveryColumns}
from (select count(*)::int as looked_at, min(position)::text as last_place from candidates) f left join shown s on true order by s.position desc`,
}

/** How event $3 stands for the subscriptions that are looked at. */
const judgedOfEvent = (looked: string): string => `
with event as materialized (
  select e.type from ${eventByKey('$1', '$2', '$3::uuid')} e
),
fed as materialized (
  select f.type, f.position from ${rowByKey('feed', { account_id: '$1', mode: '$2', event_id: '$3::uuid' })} f
),
known as (
  select coalesce(e.type, f.type) as type, f.position from (select) one left join event e on true left join fed f on true
),
looked as materialized (${looked}
),
candidates as materialized (
  select s.id as subscription_id, $3::uuid as event_id, k.type, k.position, a.event_id is not null as added, s.id::text as place, l.state as lane_state, l.cursor
  from looked s cross join known k
  join callboard.lanes l on l.account_id = $1 and l.mode = $2 and l.subscription_id = s.id
  left join lateral (
    select x.event_id from callboard.added_deliveries x
    where x.account_id = $1 and x.mode = $2 and x.subscription_id = s.id and x.event_id = $3::uuid limit 1
  ) a on true
  where k.type is not null and (a.event_id is not null or (${isInShare('s', 'k.type', 'k.position')} and (k.position is null or k.position > l.start)))
),
judged as (${judgedDeliveries}
)`

/** $4 before which subscription, $5 how many to look at, $6 a state or null, $7 how many to show. */
export const pageDeliveriesOfEvent: Statement<DeliveryRow> = {
  name: 'page-deliveries-of-event',
  text: `${judgedOfEvent(`
  select s.id, ${shareColumns('s')} from callboard.subscriptions s
  where s.account_id = $1 and s.mode = $2 and s.id < $4::uuid and s.state <> 'removed' order by s.id desc limit $5::int`)},
shown as materialized (
  select * from judged where $6::text is null or state = $6 order by subscription_id desc limit $7::int
)
select ${deliveryColumns}
from (select count(*)::int as looked_at, min(id::text) as last_place from looked) f left join shown s on true order by s.subscription_id desc`,
}

/** $4 the subscription. */
export const findDelivery: Statement<DeliveryRow> = {
  name: 'find-delivery',
  text: `${judgedOfEvent(`
  select s.id, ${shareColumns('s')} from ${rowByKey('subscriptions', { account_id: '$1', mode: '$2', id: '$4::uuid' })} s where s.state <> 'removed'`)}
select ${deliveryColumns}
from (select 1 as looked_at, null::text as last_place) f cross join judged s`,
}
