import type { DeliveryState } from '@callboard/core'
import { backfillEvents } from '../lanes/backfill-events.ts'
import { newestLane } from '../lanes/lane-key.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import { PAGE, type Statement } from '../sql/statement.ts'
import { selectionColumns, selectionsOf } from '../subscriptions/selections.ts'
import { eventsInRanges } from './events-in-ranges.ts'
import {
  DELIVERY_COLUMNS,
  type DeliveryPageParameters,
  type DeliveryRow,
  JUDGED_DELIVERIES,
} from './list-deliveries.ts'

export interface DeliveryOfStateRow extends DeliveryRow {
  /**
   * Whether there are `MOST_UNSEQUENCED` or more records without a position. If so, the page may lack some deliveries.
   */
  overflowing: boolean
}

/**
 * A page looks up at most this many records without a position from each source. A delivery that ended while its event
 * was in the outbox has such a record.
 */
const MOST_UNSEQUENCED = 1000

type LaneFilter = 'true' | `state = 'disabled'` | `state <> 'disabled'`

interface Records {
  readonly sequenced: string
  /** Records written before their event had a position. The event may have one by now. */
  readonly unsequenced: string
}

/** SQL for a subscription's records, highest position first; none if the lane does not meet the condition `lane`. */
const recorded = (table: string, filter: string, lane: LaneFilter): Records => {
  const records = (positions: string, limit: string): string => `
    select x.event_id from (select * from lane where ${lane}) l cross join lateral (
      select r.event_id from callboard.${table} r
      where r.account_id = :accountId and r.mode = :mode and r.subscription_id = l.subscription_id
        and ${filter} and coalesce(r.position, 0) ${positions}
      order by coalesce(r.position, 0) desc limit ${limit}
    ) x`
  return {
    sequenced: records('between 1 and :before::bigint - 1', ':step::int'),
    unsequenced: records('<= 0', `${MOST_UNSEQUENCED}`),
  }
}

/** SQL for the events that a subscription selects and that come after its lane's `settled_through`. */
const behindCursor = (lane: LaneFilter): string => `
    select f.event_id, f.type, f.position, false as added from (select * from lane where ${lane}) l
    cross join lateral ${selectionsOf('l')} t
    cross join lateral (
      select x.event_id, x.type, x.position from callboard.feed x
      where x.account_id = :accountId and x.mode = :mode and x.type = t.type
        and x.position > greatest(l.start, t.after, l.settled_through)
        and x.position <= least(t.through, :before::bigint - 1)
      order by x.position desc limit :step::int
    ) f
    where :type::text is null or t.type = :type`

/** SQL for the events that a running backfill is still to send. */
const TO_BACKFILL = `
    select f.*, null::boolean from lane l cross join lateral ${backfillEvents({
      owner: { accountId: ':accountId', mode: ':mode' },
      lane: 'l',
      types: 'l.event_types',
      from: 'backfill_reached',
      filter: 'x.position < :before::bigint',
      order: 'newest first',
      limit: ':step::int',
      ofType: '(:type::text is null or t.type = :type)',
    })} f`

const inRanges = (state: string): string => `
    select f.*, false from ${eventsInRanges({
      order: 'newest first',
      states: `array['${state}']`,
      edge: ':before::bigint - 1',
      limit: ':step::int',
      ofType: '(:type::text is null or t.type = :type)',
    })} f`

const endedAs = (state: string): Records => recorded('ended_deliveries', `r.state = '${state}'`, 'true')

interface Sources {
  readonly records: readonly Records[]
  readonly stretches: readonly string[]
}

const ENABLED = `state <> 'disabled'`
const DISABLED = `state = 'disabled'`

/**
 * For each state, where to look for deliveries that may be in it; `JUDGED_DELIVERIES` then decides which of them are.
 * The state `delivered` has no entry, because only the feed contains delivered deliveries.
 */
const SOURCES: Readonly<Record<Exclude<DeliveryState, 'delivered'>, Sources>> = {
  pending: {
    records: [recorded('retries', 'r.attempts = 0', ENABLED)],
    stretches: [behindCursor(ENABLED), TO_BACKFILL],
  },
  retrying: { records: [recorded('retries', 'r.attempts > 0', ENABLED)], stretches: [] },
  exhausted: { records: [endedAs('exhausted')], stretches: [] },
  skipped: { records: [endedAs('skipped')], stretches: [inRanges('skipped')] },
  expired: { records: [endedAs('expired')], stretches: [inRanges('expired')] },
  disabled: {
    records: [
      endedAs('disabled'),
      recorded('retries', 'r.attempts = 0', DISABLED),
      recorded('retries', 'r.attempts > 0', DISABLED),
    ],
    stretches: [inRanges('disabled'), behindCursor(DISABLED)],
  },
}

const union = (parts: readonly string[]): string => parts.map((part) => `(${part})`).join('\n    union all ')

/**
 * Merges what each source has at the highest positions below `before`. Searching the feed from its end instead took a
 * thousand steps of 1,000 positions each to find three exhausted deliveries in a million.
 */
const pageOfState = (state: keyof typeof SOURCES): Statement<DeliveryOfStateRow, DeliveryPageParameters> => {
  const { records, stretches } = SOURCES[state]
  return {
    ...PAGE,
    name: `page-deliveries-${state}`,
    text: `
with lane as materialized (
  select l.subscription_id, l.state, l.settled_through, l.start, l.backfill_state, l.backfill_reached,
    l.backfill_to, ${selectionColumns('s')}
  from callboard.subscriptions s
  cross join lateral ${newestLane({ accountId: ':accountId', mode: ':mode', id: 's.id' })} l
  where s.account_id = :accountId and s.mode = :mode and s.id = :id::uuid
),
unsequenced as materialized (
    ${union(records.map((each) => each.unsequenced))}
),
found as materialized (
  select l.subscription_id, c.event_id, c.type, c.position, bool_or(c.added) as added, c.position::text as place,
    l.state as lane_state, l.settled_through
  from (
    select f.event_id, f.type, f.position, true as added
    from (${union([...records.map((each) => each.sequenced), 'select event_id from unsequenced'])}
    ) r
    cross join lateral ${rowByKey('feed', { account_id: ':accountId', mode: ':mode', event_id: 'r.event_id' })} f
    where f.position < :before::bigint
    ${stretches.map((each) => `union all (${each})`).join('\n    ')}
  ) c
  cross join lane l
  group by l.subscription_id, c.event_id, c.type, c.position, l.state, l.settled_through
  order by c.position desc limit :step::int
),
-- The planner can see that these rows are sorted, so judging stops once the page is full.
candidates as (
  select * from found order by position desc
),
judged as (${JUDGED_DELIVERIES}
),
shown as materialized (
  select * from judged where state = '${state}' and (:type::text is null or type = :type)
  order by position desc limit :limit::int
)
select ${DELIVERY_COLUMNS}, f.overflowing
from (
  select count(*)::int as looked_at, min(position)::text as last_place,
    (select count(*) from unsequenced) >= ${MOST_UNSEQUENCED} as overflowing
  from found
) f
left join shown s on true
order by s.position desc`,
  }
}

export const pagesOfState: Readonly<
  Record<keyof typeof SOURCES, Statement<DeliveryOfStateRow, DeliveryPageParameters>>
> = {
  pending: pageOfState('pending'),
  retrying: pageOfState('retrying'),
  exhausted: pageOfState('exhausted'),
  skipped: pageOfState('skipped'),
  expired: pageOfState('expired'),
  disabled: pageOfState('disabled'),
}
