import { CAPS } from '@callboard/core/store'
import { eventByKey } from '../sql/event-by-key.ts'
import { type OwnerParameters, PAGE, type Statement } from '../sql/statement.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from '../subscriptions/subscription-row.ts'

/** A failed attempt, its subscription (`id`), and its event. */
export interface FailureRow extends SubscriptionRow {
  attempt_id: string
  event_id: string
  number: number
  outcome: 'failed' | 'exhausted' | 'gone'
  status: number | null
  reason: string | null
  started_at: number
  duration_ms: number
  /** Null once the event was removed, as are the two columns of its subject. */
  type: string | null
  subject_type: string | null
  subject_id: string | null
}

/** The last failed attempt of each delivery, among the newest failed attempts of the account. */
export const newestFailures: Statement<FailureRow, OwnerParameters & { readonly limit: number }> = {
  ...PAGE,
  name: 'newest-failures',
  text: `
with failed as materialized (
  select a.subscription_id, a.event_id, a.id, a.number, a.outcome, a.status, a.reason, a.started_at, a.duration_ms
  from callboard.attempts a
  where a.account_id = :accountId and a.mode = :mode and a.outcome not in ('delivered', 'expired')
  order by a.account_id desc, a.mode desc, a.id desc limit ${CAPS.failures}
),
last as materialized (
  select distinct on (f.subscription_id, f.event_id) f.* from failed f order by f.subscription_id, f.event_id, f.id desc
),
-- The planner can see that these rows are sorted, so looking up subscriptions and events stops once the page is full.
newest as (
  select * from last order by id desc
)
select s.*, f.id::text as attempt_id, f.event_id::text as event_id, f.number::int as number, f.outcome,
  f.status::int as status, f.reason, extract(epoch from f.started_at)::float8 * 1000 as started_at, f.duration_ms,
  e.type, e.subject_type, e.subject_id
from newest f
cross join lateral (
  select ${SUBSCRIPTION_COLUMNS} from callboard.subscriptions x
  where x.account_id = :accountId and x.mode = :mode and x.id = f.subscription_id and x.state <> 'removed' limit 1
) s
left join lateral ${eventByKey(':accountId', ':mode', 'f.event_id')} e on true
order by f.id desc limit :limit::int`,
}
