import type { Statement, SubscriptionKey } from '../sql/statement.ts'

export interface ExpiredRangeRow {
  after: number
  through: number
  deliveries: number
  ended_at: number
}

export const expiredRanges: Statement<ExpiredRangeRow, SubscriptionKey> = {
  name: 'expired-ranges',
  text: `
select r.after::float8 as after, r.through::float8 as through, coalesce(r.deliveries, 0)::float8 as deliveries,
  extract(epoch from r.ended_at)::float8 * 1000 as ended_at
from callboard.ended_ranges r
where account_id = :accountId and mode = :mode and subscription_id = :id::uuid and state = 'expired'
order by r.after, r.through`,
}
