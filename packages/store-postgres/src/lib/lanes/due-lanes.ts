import type { Statement } from '../sql/statement.ts'

export interface DueLaneRow {
  /** Null if no lane is due; the result then has only this row. */
  account_id: string | null
  mode: 'live' | 'test'
  subscription_id: string
  host: string
  slow: boolean
  has_new: boolean
  epoch: number
  /** In milliseconds since 1970 by the database's clock. `wake_at` is the same time as text, in full precision. */
  due_at: number
  wake_at: string
  /** When the search took place, in milliseconds since 1970 by the database's clock. */
  looked_at: number
}

export interface DueLanesParameters {
  readonly limit: number
  /** The search continues after the lane with this due time and id, in the order of both. */
  readonly dueAt: string
  readonly id: string
}

const lanesDue = (state: string): string => `(
    select account_id, mode, subscription_id, host, slow, head > settled_through as has_new, epoch, wake_at
    from callboard.lanes
    where ${state} and wake_at <= callboard.clock()
      and (wake_at, subscription_id) > (:dueAt::timestamptz, :id::uuid)
    order by wake_at, subscription_id limit :limit::int
  )`

/**
 * Finds due lanes in the order of an index, page by page. A page starts after a given due time, so it skips the dead
 * row versions before that time: while a long transaction of the platform holds back vacuum, 5,000 deliveries/s add
 * 6,000 of them each second.
 */
export const dueLanes: Statement<DueLaneRow, DueLanesParameters> = {
  name: 'due-lanes',
  text: `
select d.account_id, d.mode, d.subscription_id::text as subscription_id, d.host, d.slow, d.has_new,
  d.epoch::float8 as epoch,
  extract(epoch from d.wake_at)::float8 * 1000 as due_at, d.wake_at::text as wake_at,
  extract(epoch from n.at)::float8 * 1000 as looked_at
from (select callboard.clock() as at) n
left join (
  select * from (
  ${lanesDue(`state <> 'leased'`)}
  union all
  ${lanesDue(`state = 'leased'`)}
  ) e
  order by e.wake_at, e.subscription_id limit :limit::int
) d on true
order by d.wake_at, d.subscription_id`,
}
