import { type OwnerParameters, PAGE, type Statement } from '../sql/statement.ts'

export interface AttemptRow {
  id: string
  subscription_id: string
  /** As in `SubscriptionRow`; absent if the caller has named the subscription. */
  own_id?: string | null
  event_id: string
  number: number
  outcome: 'delivered' | 'failed' | 'exhausted' | 'gone' | 'expired'
  status: number | null
  reason: string | null
  started_at: number
  duration_ms: number
  response: string | null
}

const COLUMNS = `
a.id::text as id, a.subscription_id::text as subscription_id, a.event_id::text as event_id, a.number::int as number,
  a.outcome, a.status::int as status, a.reason, extract(epoch from a.started_at)::float8 * 1000 as started_at,
  a.duration_ms, a.response`

export interface AttemptsParameters extends OwnerParameters {
  /** The UUIDs of the subscription and of the event; null if the statement does not name it. */
  readonly id: string | null
  readonly eventId: string | null
  /** Only attempts with a lower id than this UUID. */
  readonly before: string
  readonly limit: number
}

const attempts = (filter: string): string => `
select ${COLUMNS}
from callboard.attempts a
where a.account_id = :accountId and a.mode = :mode and a.subscription_id = :id::uuid and a.id < :before::uuid ${filter}
order by a.id desc limit :limit::int`

export const listAttempts: Statement<AttemptRow, AttemptsParameters> = {
  ...PAGE,
  name: 'list-attempts',
  text: attempts(''),
}

export const listAttemptsOfDelivery: Statement<AttemptRow, AttemptsParameters> = {
  ...PAGE,
  name: 'list-attempts-of-delivery',
  text: attempts('and a.event_id = :eventId::uuid'),
}

/** How many subscriptions in each state a page looks at, newest first. */
const LOOKED_AT = 1000

const newest = (filter: string): string => `(
    select x.id, x.own_id from callboard.subscriptions x
    where x.account_id = :accountId and x.mode = :mode and ${filter}
    order by x.id desc limit ${LOOKED_AT}
  )`

/**
 * Looks up the event once for each of the account's subscriptions, including removed ones; there may be several
 * hundred. An index by event alone would avoid these lookups, but would cost an entry for every attempt.
 */
export const listAttemptsOfEvent: Statement<AttemptRow, AttemptsParameters> = {
  ...PAGE,
  name: 'list-attempts-of-event',
  text: `
select ${COLUMNS}, s.own_id
from (
  ${newest("x.state = 'active'")} union ${newest("x.state = 'disabled'")} union ${newest('true')}
) s cross join lateral (
  select x.* from callboard.attempts x
  where x.account_id = :accountId and x.mode = :mode and x.subscription_id = s.id
    and x.event_id = :eventId::uuid and x.id < :before::uuid
  order by x.id desc limit :limit::int
) a
order by a.id desc limit :limit::int`,
}
