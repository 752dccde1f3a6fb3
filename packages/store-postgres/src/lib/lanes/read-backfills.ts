import { CAPS } from '@callboard/core/store'
import { eventByKey } from '../sql/event-by-key.ts'
import { indented } from '../sql/indented.ts'
import { rowsOf } from '../sql/rows-of.ts'
import type { Statement } from '../sql/statement.ts'
import { backfillEvents, isBackfillable, isLeft } from './backfill-events.ts'
import { isLane } from './lane-key.ts'
import type { LeaseInput } from './leases.ts'
import { JOIN_CONFIRMING_KEY, MAY_SEE_PERSONAL_DATA } from './standing.ts'

/** A lane with a running backfill. */
export interface BackfillLease extends LeaseInput {
  /** The most deliveries of the backfill to read. */
  readonly room: number
}

/** One row for each delivery; a lane without any has one row. */
export interface BackfillRow {
  /** The number of the lane, from 1. */
  n: number
  backfill_reached: number
  backfill_to: number
  /** Whether the patches may be sent. */
  personal_data: boolean
  /** How many events of the range were examined, and the position of the last; null if there were none. */
  examined: number
  examined_through: number | null
  /** Null, like the columns below, if the lane has nothing to send. */
  event_id: string | null
  position: number
  type: string
  body: string
  patch: string | null
  fingerprint: string
  trace: string | null
}

const LEASES = rowsOf<BackfillLease>('leases', {
  account_id: 'text',
  mode: 'text',
  subscription_id: 'uuid',
  epoch: 'bigint',
  room: 'int',
})

const OWNER = { accountId: 'w.account_id', mode: 'w.mode' }
const KEY = { account_id: 'w.account_id', mode: 'w.mode', subscription_id: 'w.subscription_id', event_id: 'b.event_id' }

const EXAMINED = backfillEvents({
  owner: OWNER,
  lane: 'w',
  types: 's.event_types',
  from: 'backfill_reached',
  order: 'oldest first',
  limit: `${CAPS.backfill}`,
})

/**
 * Reads the next events of running backfills, for lanes that this worker has leased. It is a statement of its own,
 * because within `read-leases` its estimated cost, which grows with the feed, made Postgres plan each call anew. A lane
 * that has lost the lease, or whose backfill has ended, has no row.
 */
export const readBackfills: Statement<BackfillRow, { readonly leases: readonly BackfillLease[] }> = {
  name: 'read-backfills',
  text: `
select i.n::int as n, w.backfill_reached::float8 as backfill_reached, w.backfill_to::float8 as backfill_to,
  ${MAY_SEE_PERSONAL_DATA} as personal_data, d.examined, d.examined_through, d.event_id::text as event_id,
  d.position::float8 as position, d.type, d.body,
  case when ${MAY_SEE_PERSONAL_DATA} then d.patch end as patch, d.fingerprint, d.trace
from (select * from ${LEASES} order by n) i
cross join lateral (
  select x.* from callboard.lanes x
  where ${isLane('x', 'i', 'between i.epoch and i.epoch')} order by x.epoch limit 1
) w
cross join lateral (
  select x.* from callboard.subscriptions x
  where x.account_id = w.account_id and x.mode = w.mode and x.id = w.subscription_id limit 1
) s
${JOIN_CONFIRMING_KEY}
cross join lateral (
  with examined as materialized (
    select b.event_id, b.position from ${indented(4, EXAMINED)} b
  )
  select x.examined, x.examined_through, f.*
  from (select count(*)::int as examined, max(position)::float8 as examined_through from examined) x
  left join lateral (
    select b.event_id, b.position, e.type, e.body, e.patch, e.fingerprint, e.trace from examined b
    cross join lateral ${indented(4, eventByKey('w.account_id', 'w.mode', 'b.event_id'))} e
    where ${isBackfillable('e', 'w')} and ${isLeft(KEY)}
    order by b.position limit i.room
  ) f on true
) d
where w.backfill_state = 'running'
order by i.n, d.position`,
}
