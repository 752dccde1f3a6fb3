import type { DeliveryState } from '@callboard/core'
import { type DeliveryRow, deliveryColumns, judgedDeliveries } from './list-deliveries.ts'
import { rowByKey } from './row-by-key.ts'
import { shareColumns, shareOf } from './share.ts'
import type { Statement } from './statement.ts'

export interface DeliveryOfStateRow extends DeliveryRow {
  /** More are without a place than are looked up: some may be missing. */
  overflowing: boolean
}

/** What is recorded without a place that is looked up at most: what ended while it waited in the outbox, or before there was a column for it. */
const UNPLACED = 1000

type LaneFilter = 'true' | `state = 'disabled'` | `state <> 'disabled'`

interface Records {
  readonly placed: string
  readonly unplaced: string
}

/** Records of the lane, if it is such a lane, last placed first; and those without a place, whose place may have become known since. */
const recorded = (table: string, filter: string, lane: LaneFilter): Records => {
  const records = (side: string, most: string): string => `
    select x.event_id from (select * from lane where ${lane}) l cross join lateral (
      select r.event_id from callboard.${table} r
      where r.account_id = $1 and r.mode = $2 and r.subscription_id = l.subscription_id and ${filter} and coalesce(r.position, 0) ${side}
      order by coalesce(r.position, 0) desc limit ${most}
    ) x`
  return { placed: records('between 1 and $4::bigint - 1', '$5::int'), unplaced: records('<= 0', `${UNPLACED}`) }
}

/** The lane's share of the feed between two places. */
const stretch = (lanes: string, after: string, through: string): string => `
    select f.event_id, f.type, f.position, false as added from ${lanes}
    cross join lateral ${shareOf('l')} t
    cross join lateral (
      select x.event_id, x.type, x.position from callboard.feed x
      where x.account_id = $1 and x.mode = $2 and x.type = t.type and x.position > greatest(l.start, t.after, ${after})
        and x.position <= least(t.through, ${through}, $4::bigint - 1)
      order by x.position desc limit $5::int
    ) f
    where $6::text is null or t.type = $6`

const behindCursor = (lane: LaneFilter): string =>
  stretch(`(select * from lane where ${lane}) l`, 'l.cursor', '9223372036854775807')

const inRanges = (state: string): string =>
  stretch(
    `lane l join callboard.ended_ranges g on g.account_id = $1 and g.mode = $2 and g.subscription_id = l.subscription_id and g.state = '${state}' and g.after < $4::bigint`,
    'g.after',
    'g.through',
  )

const endedAs = (state: string): Records => recorded('ended_deliveries', `r.state = '${state}'`, 'true')

interface Sources {
  readonly records: readonly Records[]
  readonly stretches: readonly string[]
}

const ENABLED = `state <> 'disabled'`
const DISABLED = `state = 'disabled'`

/** Where a delivery of a state may be found; not all that is found there is. What is delivered is nowhere but in the feed. */
const SOURCES: Readonly<Record<Exclude<DeliveryState, 'delivered'>, Sources>> = {
  pending: { records: [recorded('retries', 'r.tries = 0', ENABLED)], stretches: [behindCursor(ENABLED)] },
  retrying: { records: [recorded('retries', 'r.tries > 0', ENABLED)], stretches: [] },
  exhausted: { records: [endedAs('exhausted')], stretches: [] },
  skipped: { records: [endedAs('skipped')], stretches: [inRanges('skipped')] },
  expired: { records: [endedAs('expired')], stretches: [inRanges('expired')] },
  disabled: {
    records: [
      endedAs('disabled'),
      recorded('retries', 'r.tries = 0', DISABLED),
      recorded('retries', 'r.tries > 0', DISABLED),
    ],
    stretches: [inRanges('disabled'), behindCursor(DISABLED)],
  },
}

const union = (parts: readonly string[]): string => parts.map((part) => `(${part})`).join('\n    union all ')

/**
 * Each source gives its last places before $4, so the last of them all are among these. From the feed's end on, steps of a thousand found three
 * exhausted deliveries of a million in a thousand steps.
 */
const pageOfState = (state: keyof typeof SOURCES): Statement<DeliveryOfStateRow> => {
  const { records, stretches } = SOURCES[state]
  return {
    name: `page-deliveries-${state}`,
    text: `
with lane as materialized (
  select l.subscription_id, l.state, l.cursor, l.start, ${shareColumns('s')} from callboard.subscriptions s
  cross join lateral (
    select x.* from callboard.lanes x where x.account_id = $1 and x.mode = $2 and x.subscription_id = s.id order by x.epoch desc limit 1
  ) l
  where s.account_id = $1 and s.mode = $2 and s.id = $3::uuid
),
unplaced as materialized (
    ${union(records.map((each) => each.unplaced))}
),
found as materialized (
  select l.subscription_id, c.event_id, c.type, c.position, bool_or(c.added) as added, c.position::text as place, l.state as lane_state, l.cursor
  from (
    select f.event_id, f.type, f.position, true as added
    from (${union([...records.map((each) => each.placed), 'select event_id from unplaced'])}
    ) r
    cross join lateral ${rowByKey('feed', { account_id: '$1', mode: '$2', event_id: 'r.event_id' })} f
    where f.position < $4::bigint
    ${stretches.map((each) => `union all (${each})`).join('\n    ')}
  ) c
  cross join lane l
  group by l.subscription_id, c.event_id, c.type, c.position, l.state, l.cursor
  order by c.position desc limit $5::int
),
-- In an order that the planner sees, so that no more are judged than are shown.
candidates as (
  select * from found order by position desc
),
judged as (${judgedDeliveries}
),
shown as materialized (
  select * from judged where state = '${state}' and ($6::text is null or type = $6) order by position desc limit $7::int
)
select ${deliveryColumns}, f.overflowing
from (
  select count(*)::int as looked_at, min(position)::text as last_place, (select count(*) from unplaced) >= ${UNPLACED} as overflowing from found
) f left join shown s on true order by s.position desc`,
  }
}

/** $3 the subscription, $4 before which position, $5 how many to look at, $6 a type or null, $7 how many to show. */
export const pagesOfState: Readonly<Record<keyof typeof SOURCES, Statement<DeliveryOfStateRow>>> = {
  pending: pageOfState('pending'),
  retrying: pageOfState('retrying'),
  exhausted: pageOfState('exhausted'),
  skipped: pageOfState('skipped'),
  expired: pageOfState('expired'),
  disabled: pageOfState('disabled'),
}
