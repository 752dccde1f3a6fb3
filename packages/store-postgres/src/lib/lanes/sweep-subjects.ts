import type { Statement } from '../sql/statement.ts'
import { sameLane } from './lane-key.ts'

/**
 * Makes retries due that wait although they come first in their subject, as core's `swept` says. Changes only idle
 * lanes, and makes at most 1,000 retries due per call; the next sweep continues.
 */
export const sweepSubjects: Statement<{ n: number }> = {
  name: 'sweep-subjects',
  text: `
with lane as materialized (
  select l.account_id, l.mode, l.subscription_id from callboard.subscriptions s
  join callboard.lanes l on l.account_id = s.account_id and l.mode = s.mode and l.subscription_id = s.id
  where s.ordering = 'subject' and l.state = 'idle'
  order by 1, 2, 3 for update of l skip locked
),
freed as (
  update callboard.retries r set due_at = callboard.clock() from (
    select l.account_id, l.mode, l.subscription_id, f.event_id from lane l
    cross join lateral (
      select distinct on (x.subject) x.event_id, x.due_at from callboard.retries x
      where ${sameLane('x', 'l')} and not x.manual
      order by x.subject, x.position
    ) f
    where f.due_at is null limit 1000
  ) f
  where ${sameLane('r', 'f')} and r.event_id = f.event_id and r.due_at is null
  returning r.account_id, r.mode, r.subscription_id
),
woken as (
  update callboard.lanes l set wake_at = least(l.wake_at, callboard.clock())
  from (select distinct account_id, mode, subscription_id from freed) f
  where ${sameLane('l', 'f')} and l.state = 'idle'
  returning 1
)
select count(*)::int as n from woken`,
}
