import { TRUSTED_CLAIMS } from '@callboard/core/store'
import { rowsOf } from '../sql/rows-of.ts'
import type { Statement } from '../sql/statement.ts'
import { isLane } from './lane-key.ts'
import { type LeaseInput, RAISED_EPOCH } from './leases.ts'

export interface LeaseParameters {
  readonly lanes: readonly LaneInput[]
  readonly worker: string
  readonly call: number
  readonly leaseMs: number
  /**
   * After this many failures in a row, a lane gets only one delivery per lease, to test whether its target works again.
   */
  readonly breakerThreshold: number
}

interface LaneInput extends LeaseInput {
  /** The most deliveries to lease. */
  readonly room: number
}

const LANES = rowsOf<LaneInput>('lanes', {
  account_id: 'text',
  mode: 'text',
  subscription_id: 'uuid',
  epoch: 'bigint',
  room: 'int',
})

/**
 * Leases lanes one by one, in the given order, and returns the leases. A lane that another transaction has locked,
 * leased or settled meanwhile is left out. The deliveries are read afterwards (`readLeases`): otherwise a client that
 * stops reading would keep the lanes locked while the server sends.
 *
 * The epoch that a lane had when it was found lets the statement skip dead versions of the lane's row.
 */
export const lease: Statement<LeaseInput, LeaseParameters> = {
  name: 'lease',
  text: `
with chosen as materialized (
  select i.n, i.account_id, i.mode, i.subscription_id, i.room, l.epoch
  from (select * from ${LANES} order by n) i
  cross join lateral (
    select x.epoch from callboard.lanes x
    where ${isLane('x', 'i', '>= i.epoch')} and x.wake_at <= callboard.clock()
    order by x.epoch limit 1 for update skip locked
  ) l
),
leased as (
  update callboard.lanes l
  set state = 'leased', worker = :worker, lease_call = :call::bigint, epoch = ${RAISED_EPOCH},
    claims = least(l.claims + 1, 100),
    room = case
      when l.claims >= ${TRUSTED_CLAIMS} or l.breaker_failures >= :breakerThreshold::int then 1 else c.room
    end,
    wake_at = callboard.clock() + :leaseMs::float8 * interval '1 ms'
  -- Always true: the condition on epoch lowers the planner's row estimate, so that the planner looks the lane up by
  -- its key instead of scanning every dead version.
  from chosen c where c.epoch >= 0 and ${isLane('l', 'c', '>= c.epoch')}
  returning c.n, l.account_id, l.mode, l.subscription_id, l.epoch
)
select account_id, mode, subscription_id::text as subscription_id, epoch::float8 as epoch from leased order by n`,
}
