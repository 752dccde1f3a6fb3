import { firstOfSubject } from './first-of-subject.ts'
import type { Statement } from './statement.ts'

const woken = `
update callboard.lanes l set wake_at = least(l.wake_at, callboard.clock()) from (select distinct account_id, mode, subscription_id from freed) f
where l.account_id = f.account_id and l.mode = f.mode and l.subscription_id = f.subscription_id and l.state = 'idle' returning 1`

/**
 * After a settle, in its transaction: its locks are held, and a statement of its own sees what it wrote. The first of each subject
 * that the settle touched becomes due if it waits; all that wait, where there is no order any more. A lease that was lost frees nothing.
 */
export const freeSubjects: Statement<{ n: number }> = {
  name: 'free-subjects',
  text: `
with touched as materialized (
  select l.account_id, l.mode, l.subscription_id, t.subject, s.ordering
  from unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[]) with ordinality as i(account_id, mode, subscription_id, epoch, n)
  join unnest($5::int[], $6::text[]) as t(n, subject) on t.n = i.n
  join callboard.lanes l on l.account_id = i.account_id and l.mode = i.mode and l.subscription_id = i.subscription_id and l.epoch = i.epoch and l.state <> 'disabled'
  join callboard.subscriptions s on s.account_id = i.account_id and s.mode = i.mode and s.id = i.subscription_id
),
freed as (
  update callboard.retries r set due_at = callboard.clock() where r.ctid = any (array(
    select f.place from touched t cross join lateral ${firstOfSubject('t', 't.subject')} f
    where t.ordering = 'subject' and f.due_at is null
    union all
    select x.ctid from touched t
    join callboard.retries x on x.account_id = t.account_id and x.mode = t.mode and x.subscription_id = t.subscription_id and x.subject = t.subject
    where t.ordering = 'none' and x.due_at is null
  ))
  returning r.account_id, r.mode, r.subscription_id
),
woken as (${woken}
)
select count(*)::int as n from woken`,
}

/**
 * The same for whatever waits first of its subject in a lane that nobody holds: its wake-up was lost, as when a worker of a version
 * that knows no order settled what was before it. Bounded: the rest is the next sweep's.
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
      where x.account_id = l.account_id and x.mode = l.mode and x.subscription_id = l.subscription_id and not x.manual
      order by x.subject, x.position
    ) f
    where f.due_at is null limit 1000
  ) f
  where r.account_id = f.account_id and r.mode = f.mode and r.subscription_id = f.subscription_id and r.event_id = f.event_id and r.due_at is null
  returning r.account_id, r.mode, r.subscription_id
),
woken as (${woken}
)
select count(*)::int as n from woken`,
}
