import { backfillEvents, isBackfillable, isInBackfill, typesEver } from '../lanes/backfill-events.ts'
import { newestLane } from '../lanes/lane-key.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { LAST_ATTEMPT, rowByKey } from '../sql/row-by-key.ts'
import { type OwnerParameters, PAGE, type Statement, type SubscriptionKey } from '../sql/statement.ts'
import { isSelected, selectionColumns, selectionsOf } from '../subscriptions/selections.ts'
import { wasBeforeStart } from '../subscriptions/was-before.ts'

export interface DeliveryRow {
  /** How many candidates were looked at, and the place of the last one; both are the same on every row. */
  looked_at: number
  last_place: string | null
  /** Null if no candidate is shown. */
  event_id: string | null
  place: string | null
  subscription_id: string | null
  /** As in `SubscriptionRow`; absent if the caller has named the subscription. */
  own_id?: string | null
  type: string | null
  /** Null once the event was removed, as are the two columns of its subject. */
  occurred_at: number | null
  subject_type: string | null
  subject_id: string | null
  state: 'pending' | 'retrying' | 'delivered' | 'exhausted' | 'skipped' | 'expired' | 'disabled' | null
  attempts: number | null
  due_at: number | null
  outcome: 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired' | null
  status: number | null
  reason: string | null
  started_at: number | null
}

/** The key under which the delivery of candidate `c` is recorded. */
const OF_CANDIDATE = {
  account_id: ':accountId',
  mode: ':mode',
  subscription_id: 'c.subscription_id',
  event_id: 'c.event_id',
}

/** SQL for the position up to which only records tell whether candidate `c` is a delivery. */
const UNKNOWN_THROUGH = `(
        select s.previous_after
        from ${rowByKey('subscriptions', { account_id: ':accountId', mode: ':mode', id: 'c.subscription_id' })} s
      )`

/** SQL that tests whether the subscription of candidate `c` has the candidate's event type at present. */
const HAS_TYPE_NOW = `exists (
          select from ${rowByKey('subscriptions', { account_id: ':accountId', mode: ':mode', id: 'c.subscription_id' })} s
          where c.type = any (s.event_types)
        )`

/**
 * SQL for the state of each candidate `c`. A delivery has no row of its own: its records decide its state, in the order
 * below; without any record, the lane's backfill, its `settled_through` and its ended ranges do. `c.added` is null for a
 * candidate that only a backfill may have sent: such a delivery exists if it has a record or the backfill is to send it. Each record is looked up by its key,
 * because the planner turned joins into scans when statistics were old.
 */
export const JUDGED_DELIVERIES: string = `
  select j.* from (
  select c.place, c.subscription_id, c.event_id, c.type, c.position,
    case
      when r.event_id is not null then
        case when c.lane_state = 'disabled' then 'disabled' when r.attempts = 0 then 'pending' else 'retrying' end
      when a.outcome = 'delivered' then 'delivered'
      when l.backfill_state = 'running' and c.position > l.backfill_reached and c.position <= l.backfill_to
        and ${isBackfillable('e', 'l')} and ${HAS_TYPE_NOW}
        then 'pending'
      when d.state is not null then d.state
      when not coalesce(c.added or not (c.added or ${wasBeforeStart('e', 'l')}), false) then null
      when c.position is null or c.position > c.settled_through then
        case when c.lane_state = 'disabled' then 'disabled' else 'pending' end
      when g.through >= c.position and c.type = any (g.types) then g.state
      when c.added or a.outcome is not null or c.position > ${UNKNOWN_THROUGH} then 'delivered'
    end as state,
    -- A delivery can end while an attempt is in flight. If that attempt still succeeds, its number is the count of
    -- attempts.
    coalesce(r.attempts, case when a.outcome = 'delivered' then a.number end, d.attempts, a.number, 0) as attempts,
    case when c.lane_state <> 'disabled' then r.due_at end as due_at,
    a.outcome, a.status, a.reason, a.started_at, e.published_at, e.occurred_at, e.subject_type, e.subject_id
  from candidates c
  cross join lateral ${newestLane({ accountId: ':accountId', mode: ':mode', id: 'c.subscription_id' })} l
  left join lateral ${eventByKey(':accountId', ':mode', 'c.event_id')} e on true
  left join lateral ${rowByKey('retries', OF_CANDIDATE)} r on true
  left join lateral ${rowByKey('ended_deliveries', OF_CANDIDATE)} d on true
  left join lateral ${rowByKey('attempts', OF_CANDIDATE, LAST_ATTEMPT)} a on true
  left join lateral (
    select x.state, x.through, x.types from callboard.ended_ranges x
    where x.account_id = :accountId and x.mode = :mode and x.subscription_id = c.subscription_id
      and x.after < c.position
    order by x.after desc limit 1
  ) g on true
  ) j where j.state is not null`

/** SQL for the columns of a page, from the deliveries `s` that it shows and the counts `f`. */
export const DELIVERY_COLUMNS: string = `
  f.looked_at, f.last_place, s.event_id::text as event_id, s.place, s.subscription_id::text as subscription_id,
  s.type, extract(epoch from s.occurred_at)::float8 * 1000 as occurred_at, s.subject_type, s.subject_id,
  s.state, s.attempts::int as attempts, extract(epoch from s.due_at)::float8 * 1000 as due_at,
  s.outcome, s.status::int as status, s.reason, extract(epoch from s.started_at)::float8 * 1000 as started_at`

export interface DeliveryPageParameters extends SubscriptionKey {
  /** Only deliveries at lower positions. */
  readonly before: string
  /** How many candidates to look at. */
  readonly step: number
  readonly type: string | null
  /** How many to show. */
  readonly limit: number
}

/** A page looks at only this many deliveries that somebody added by resending: those with the highest event ids. */
const MOST_ADDED = 1000

/**
 * SQL for the deliveries of the events that the subscription selects, for those that somebody added by resending, and
 * for those of a backfill.
 */
const CANDIDATES = `
  select c.subscription_id, c.event_id, c.type, c.position, bool_or(c.added) as added, c.position::text as place,
    l.state as lane_state, l.settled_through
  from (
    (
      select s.id as subscription_id, f.event_id, t.type, f.position, false as added
      from callboard.subscriptions s
      join callboard.lanes l on l.account_id = :accountId and l.mode = :mode and l.subscription_id = s.id
      cross join lateral ${selectionsOf('s')} t
      cross join lateral (
        select x.position, x.event_id from callboard.feed x
        where x.account_id = :accountId and x.mode = :mode and x.type = t.type
          and x.position > greatest(l.start, t.after, :after::bigint)
          and x.position <= t.through and x.position < :before::bigint
        order by x.position desc limit :step::int
      ) f
      where s.account_id = :accountId and s.mode = :mode and s.id = :id::uuid
        and (:type::text is null or t.type = :type)
      order by f.position desc limit :step::int
    )
    union all
    (
      select a.subscription_id, a.event_id, f.type, f.position, true
      from (
        select x.* from callboard.added_deliveries x
        where x.account_id = :accountId and x.mode = :mode and x.subscription_id = :id::uuid
        order by x.account_id desc, x.mode desc, x.subscription_id desc, x.event_id desc limit ${MOST_ADDED}
      ) a
      cross join lateral ${rowByKey('feed', { account_id: ':accountId', mode: ':mode', event_id: 'a.event_id' })} f
      where f.position > :after::bigint and f.position < :before::bigint and (:type::text is null or f.type = :type)
      order by f.position desc limit :step::int
    )
    union all
    (
      select :id::uuid, f.event_id, f.type, f.position, null
      from callboard.lanes l
      join callboard.subscriptions s on s.account_id = :accountId and s.mode = :mode and s.id = l.subscription_id
      cross join lateral ${backfillEvents({
        owner: { accountId: ':accountId', mode: ':mode' },
        lane: 'l',
        types: typesEver('s'),
        from: 'backfill_from',
        filter: 'x.position > :after::bigint and x.position < :before::bigint',
        order: 'newest first',
        limit: ':step::int',
        ofType: '(:type::text is null or t.type = :type)',
      })} f
      where l.account_id = :accountId and l.mode = :mode and l.subscription_id = :id::uuid
    )
  ) c
  join callboard.lanes l on l.account_id = :accountId and l.mode = :mode and l.subscription_id = c.subscription_id
  group by c.subscription_id, c.event_id, c.type, c.position, l.state, l.settled_through
  order by c.position desc limit :step::int`

interface DeliveriesParameters extends DeliveryPageParameters {
  /** Only deliveries at higher positions. */
  readonly after: string
  readonly state: string | null
  readonly publishedFrom: string | null
  readonly publishedBefore: string | null
}

export const pageDeliveries: Statement<DeliveryRow, DeliveriesParameters> = {
  ...PAGE,
  name: 'page-deliveries',
  text: `
with candidates as materialized (${CANDIDATES}
),
judged as (${JUDGED_DELIVERIES}
),
shown as materialized (
  select * from judged
  where (:state::text is null or state = :state)
    and (:publishedFrom::timestamptz is null or published_at >= :publishedFrom)
    and (:publishedBefore::timestamptz is null or published_at < :publishedBefore)
  order by position desc limit :limit::int
)
select ${DELIVERY_COLUMNS}
from (select count(*)::int as looked_at, min(position)::text as last_place from candidates) f
left join shown s on true
order by s.position desc`,
}

const isOwn = (known: string, lane: string, subscription: string): string => `(
    ${isSelected(subscription, `${known}.type`, `${known}.position`)}
    and (${known}.position is null or ${known}.position > ${lane}.start)
  )`

/** SQL for the column `added` of candidate `known`; `a` is its row in `added_deliveries`. */
export const addedOf = (known: string, lane: string, subscription: string): string => `case
    when a.event_id is not null then true when ${isOwn(known, lane, subscription)} then false
  end`

/** SQL that tests whether event `known` may be a delivery: selected, added by resending, or sent by a backfill. */
export const isCandidate = (known: string, lane: string, subscription: string): string => `(
    a.event_id is not null or ${isOwn(known, lane, subscription)} or ${isInBackfill(known, lane, subscription)}
  )`

/** SQL for the CTEs that find the state of an event's delivery to each of the subscriptions in `looked`. */
const judgedOfEvent = (looked: string): string => `
with event as materialized (
  select e.type from ${eventByKey(':accountId', ':mode', ':eventId::uuid')} e
),
fed as materialized (
  select f.type, f.position
  from ${rowByKey('feed', { account_id: ':accountId', mode: ':mode', event_id: ':eventId::uuid' })} f
),
known as (
  select coalesce(e.type, f.type) as type, f.position
  from (select) one left join event e on true left join fed f on true
),
looked as materialized (${looked}
),
candidates as materialized (
  select s.id as subscription_id, :eventId::uuid as event_id, k.type, k.position, ${addedOf('k', 'l', 's')} as added,
    s.id::text as place, l.state as lane_state, l.settled_through
  from looked s cross join known k
  join callboard.lanes l on l.account_id = :accountId and l.mode = :mode and l.subscription_id = s.id
  left join lateral (
    select x.event_id from callboard.added_deliveries x
    where x.account_id = :accountId and x.mode = :mode and x.subscription_id = s.id and x.event_id = :eventId::uuid
    limit 1
  ) a on true
  where k.type is not null and ${isCandidate('k', 'l', 's')}
),
judged as (${JUDGED_DELIVERIES}
)`

export interface EventDeliveriesParameters extends OwnerParameters {
  readonly eventId: string
  /** Only subscriptions with a lower id than this UUID. */
  readonly before: string
  /** How many subscriptions to look at. */
  readonly step: number
  readonly state: string | null
  /** How many to show. */
  readonly limit: number
}

/** SQL for subscriptions in one state. Without the state, the planner reads past all removed subscriptions. */
const newestIn = (state: 'active' | 'disabled'): string => `
    select s.id, ${selectionColumns('s')} from callboard.subscriptions s
    where s.account_id = :accountId and s.mode = :mode and s.state = '${state}' and s.id < :before::uuid
    order by s.id desc limit :step::int`

export const pageDeliveriesOfEvent: Statement<DeliveryRow, EventDeliveriesParameters> = {
  ...PAGE,
  name: 'page-deliveries-of-event',
  text: `${judgedOfEvent(`
  (${newestIn('active')}) union all (${newestIn('disabled')}) order by id desc limit :step::int`)},
shown as materialized (
  select * from judged where :state::text is null or state = :state order by subscription_id desc limit :limit::int
)
select ${DELIVERY_COLUMNS}, (
    select o.own_id
    from ${rowByKey('subscriptions', { account_id: ':accountId', mode: ':mode', id: 's.subscription_id' })} o
  ) as own_id
from (select count(*)::int as looked_at, min(id::text) as last_place from looked) f
left join shown s on true
order by s.subscription_id desc`,
}

export const findDelivery: Statement<DeliveryRow, SubscriptionKey & { eventId: string }> = {
  ...PAGE,
  name: 'find-delivery',
  text: `${judgedOfEvent(`
  select s.id, ${selectionColumns('s')}
  from ${rowByKey('subscriptions', { account_id: ':accountId', mode: ':mode', id: ':id::uuid' })} s
  where s.state <> 'removed'`)}
select ${DELIVERY_COLUMNS}
from (select 1 as looked_at, null::text as last_place) f cross join judged s`,
}
