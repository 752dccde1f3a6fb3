import type { Statement } from './statement.ts'

export interface AttemptRow {
  id: string
  subscription_id: string
  event_id: string
  number: number
  outcome: 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired'
  status: number | null
  reason: string | null
  started_at: number
  duration_ms: number
  response: string | null
}

const columns = `
a.id::text as id, a.subscription_id::text as subscription_id, a.event_id::text as event_id, a.number::int as number, a.outcome, a.status::int as status, a.reason,
  extract(epoch from a.started_at)::float8 * 1000 as started_at, a.duration_ms, a.response`

const attempts = (filter: string): string => `
select ${columns}
from callboard.attempts a where a.account_id = $1 and a.mode = $2 and a.subscription_id = $3::uuid and a.id < $4::uuid ${filter}
order by a.id desc limit $5::int`

/** $4 before which attempt. */
export const listAttempts: Statement<AttemptRow> = { name: 'list-attempts', text: attempts('') }

export const listAttemptsOfDelivery: Statement<AttemptRow> = {
  name: 'list-attempts-of-delivery',
  text: attempts('and a.event_id = $6::uuid'),
}

/** One look-up a subscription, the removed ones too: there are some hundreds, and no index by event alone to keep up at every try. */
export const listAttemptsOfEvent: Statement<AttemptRow> = {
  name: 'list-attempts-of-event',
  text: `
select ${columns}
from callboard.subscriptions s cross join lateral (
  select x.* from callboard.attempts x
  where x.account_id = $1 and x.mode = $2 and x.subscription_id = s.id and x.event_id = $3::uuid and x.id < $4::uuid order by x.id desc limit $5::int
) a
where s.account_id = $1 and s.mode = $2
order by a.id desc limit $5::int`,
}
