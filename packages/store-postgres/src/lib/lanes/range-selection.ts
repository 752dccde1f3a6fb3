import type { ResendableState } from '@callboard/core/store'
import { eventsInRanges } from '../reading/events-in-ranges.ts'
import { JUDGED_DELIVERIES } from '../reading/list-deliveries.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { SubscriptionKey } from '../sql/statement.ts'
import { selectionColumns, selectionsOf } from '../subscriptions/selections.ts'
import { backfillEvents } from './backfill-events.ts'

export interface RangeRow {
  lane_state: 'idle' | 'leased' | 'paused' | 'disabled'
  /** The highest position that was looked at; null if there was none. */
  last_place: string | null
  /**
   * Of the events whose deliveries were recorded without a position, the last one looked at; null if there was none.
   */
  last_event: string | null
  /** Whether more is left to look at. This and all that follows is null if the lane is disabled. */
  more: boolean | null
  /** When the newest event that was looked at was published, in milliseconds since 1970. */
  reached_at: number | null
  resent: number | null
  /** How many deliveries in the range are in each of the requested `states`; null if none is. */
  found: [ResendableState, number][] | null
}

export interface RangeParameters extends SubscriptionKey {
  /** Only deliveries at higher positions than this, and those selected by `afterEvent`. */
  readonly after: number
  /** Of the deliveries recorded without a position, only those of events with higher ids than this UUID. */
  readonly afterEvent: string
  /** How many to look at. */
  readonly step: number
  readonly states: readonly ResendableState[]
  /** Only events published at this time or later. */
  readonly publishedFrom: string
  /** Only events published before this time; null: no end. */
  readonly publishedBefore: string | null
}

const OWN = 'r.account_id = :accountId and r.mode = :mode and r.subscription_id = :id::uuid'

/** SQL for the table's record of the delivery of this event. */
export const recordOf = (table: string, event: string): string =>
  rowByKey(table, { account_id: ':accountId', mode: ':mode', subscription_id: ':id::uuid', event_id: event })

/** SQL for the first of a table's records of this subscription whose positions are above `after`. */
const recorded = (table: string, filter: string): string => `
      select r.event_id from callboard.${table} r
      where ${OWN} and ${filter} and coalesce(r.position, 0) > :after::bigint
      order by coalesce(r.position, 0) limit :step::int + 1`

/**
 * SQL for the subscription's retries that have no position, although their event may have one by now. There are few:
 * only an event that was resent by hand while it was in the outbox has such a retry. Their order leaves one index to
 * find them with.
 */
const unsequencedRetries = (filter: string): string => `
      select r.event_id from callboard.retries r
      where ${OWN} and ${filter} and coalesce(r.position, 0) <= 0
      order by coalesce(r.position, 0)`

/**
 * SQL that tests whether retry `m` may be in flight under the current lease of lane `l`, and was not resent during that
 * lease.
 */
const MAY_BE_IN_FLIGHT = `(
        l.held is not null and not exists (
          select from ${recordOf('retries', 'm.event_id')} r where r.resent_epoch = l.held
        )
      )`

/**
 * SQL for the CTEs that look at one step of a range. `matching` are the deliveries in the range, and `chosen` are those
 * of them that resending sends: the others are sent anyway.
 */
export const RANGE_SELECTION: string = `
with lane as materialized (
  select l.subscription_id, l.state, l.settled_through, l.start, case when l.state = 'leased' then l.epoch end as held,
    l.backfill_state, l.backfill_reached, l.backfill_to,
    ${selectionColumns('s')}
  from callboard.subscriptions s
  join callboard.lanes l on l.account_id = :accountId and l.mode = :mode and l.subscription_id = s.id
  where s.account_id = :accountId and s.mode = :mode and s.id = :id::uuid
),
recorded as materialized (
  select x.event_id from unnest(:states::text[]) asked(state)
  cross join lateral (${recorded('ended_deliveries', 'r.state = asked.state')}
  ) x
  union all
  select x.event_id from (select where 'retrying' = any (:states::text[])) asked
  cross join lateral ((${recorded('retries', 'r.attempts > 0')}) union all (${unsequencedRetries('r.attempts > 0')})
  ) x
  union all
  select x.event_id from (select where 'pending' = any (:states::text[])) asked
  cross join lateral ((${recorded('retries', 'r.attempts = 0')}) union all (${unsequencedRetries('r.attempts = 0')})
  ) x
),
found as materialized (
  select l.subscription_id, c.event_id, c.type, c.position, bool_or(c.added) as added, c.position::text as place,
    l.state as lane_state, l.settled_through
  from (
    select f.event_id, f.type, f.position, true as added
    from recorded r
    cross join lateral ${rowByKey('feed', { account_id: ':accountId', mode: ':mode', event_id: 'r.event_id' })} f
    where f.position > :after::bigint
    union all
    select f.event_id, f.type, f.position, false
    from ${eventsInRanges({
      order: 'oldest first',
      states: ':states::text[]',
      edge: ':after::bigint',
      limit: ':step::int + 1',
    })} f
    union all
    select f.event_id, f.type, f.position, false
    from lane l
    cross join lateral ${selectionsOf('l')} t
    cross join lateral (
      select x.event_id, x.type, x.position from callboard.feed x
      where x.account_id = :accountId and x.mode = :mode and x.type = t.type and 'pending' = any (:states::text[])
        and x.position > greatest(l.start, l.settled_through, t.after, :after::bigint) and x.position <= t.through
      order by x.position limit :step::int + 1
    ) f
    union all
    select f.*, null from lane l cross join lateral ${backfillEvents({
      owner: { accountId: ':accountId', mode: ':mode' },
      lane: 'l',
      types: 'l.event_types',
      from: 'backfill_reached',
      filter: `x.position > :after::bigint and 'pending' = any (:states::text[])`,
      order: 'oldest first',
      limit: ':step::int + 1',
    })} f
  ) c
  cross join lane l
  group by l.subscription_id, c.event_id, c.type, c.position, l.state, l.settled_through
  order by c.position limit :step::int + 1
),
unsequenced as materialized (
  select x.event_id from unnest(:states::text[]) asked(state)
  cross join lateral (
    select r.event_id from callboard.ended_deliveries r
    where ${OWN} and r.state = asked.state and r.position is null and r.event_id > :afterEvent::uuid
    order by r.account_id, r.mode, r.subscription_id, r.state, r.event_id limit :step::int + 1
  ) x
  order by x.event_id limit greatest(0, :step::int + 1 - (select count(*) from found))
),
examined as materialized (
  select event_id from unsequenced order by event_id
  limit greatest(0, :step::int - (select count(*) from found))
),
candidates as materialized (
  (select * from found order by position limit :step::int)
  union all
  select l.subscription_id, f.event_id, f.type, f.position, true, f.position::text, l.state, l.settled_through
  from examined u
  cross join lane l
  cross join lateral ${rowByKey('feed', { account_id: ':accountId', mode: ':mode', event_id: 'u.event_id' })} f
  where not exists (select from found x where x.event_id = u.event_id)
),
judged as (${JUDGED_DELIVERIES}
),
matching as materialized (
  select event_id, position, state, due_at from judged
  where state = any (:states::text[]) and published_at >= :publishedFrom::timestamptz
    and (:publishedBefore::timestamptz is null or published_at < :publishedBefore::timestamptz)
),
chosen as materialized (
  select m.event_id, m.position, m.state from matching m cross join lane l
  where m.state not in ('pending', 'retrying')
    or (
      m.state = 'retrying' and m.due_at is not null
      and (m.due_at > callboard.clock() or ${MAY_BE_IN_FLIGHT})
    )
)`

/**
 * SQL for the result of one step.
 *
 * @param resent SQL for how many deliveries were resent, or would be.
 */
export const rangeResult = (resent: string): string => `
select (select max(position)::text from (select position from found order by position limit :step::int) x),
  (select max(event_id::text) from examined),
  (select count(*) from found) + (select count(*) from unsequenced) > :step::int,
  (select extract(epoch from max(published_at))::float8 * 1000 from judged),
  ${resent},
  (select json_agg(json_build_array(c.state, c.n)) from (select state, count(*) as n from matching group by state) c)
  into last_place, last_event, more, reached_at, resent, counts`

/**
 * SQL of a statement, for use in a function: the statement's parameter `:accountId` is the function's parameter
 * `p_account_id`.
 */
export function inFunction(sql: string): string {
  return sql.replace(
    /(?<![:\w]):([a-z]\w*)/gi,
    (_, name: string) => `p_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
  )
}
