import { firstOfSubject } from '../fragments/first-of-subject.ts'
import { sameLane } from '../fragments/lane-key.ts'
import { LEASES, type LeaseInput } from './lease-rows.ts'
import { rowsOf } from './rows-of.ts'
import type { Statement } from './statement.ts'

const WOKEN = `
  update callboard.lanes l set wake_at = least(l.wake_at, callboard.clock())
  from (select distinct account_id, mode, subscription_id from freed) f
  where ${sameLane('l', 'f')} and l.state = 'idle'
  returning 1`

export interface TouchedSubject {
  /** The number of the subject's lease in `leases`, from 1. */
  readonly lane: number
  readonly subject: string
}

/**
 * Makes the first retry of each given subject due if it has no due time, that is, if it was waiting for an earlier
 * event. If the subscription no longer keeps an order, makes all waiting retries of the subject due. Runs after a
 * settle, in the same transaction, so that it sees what the settle wrote and the locks are still held.
 */
export const freeSubjects: Statement<
  { n: number },
  { readonly leases: readonly LeaseInput[]; readonly subjects: readonly TouchedSubject[] }
> = {
  name: 'free-subjects',
  text: `
with touched as materialized (
  select l.account_id, l.mode, l.subscription_id, t.subject, s.ordering
  from ${LEASES}
  join (
    select subjects.lane, subjects.subject from ${rowsOf<TouchedSubject>('subjects', { lane: 'int', subject: 'text' })}
  ) t on t.lane = leases.n
  join callboard.lanes l on ${sameLane('l', 'leases')} and l.epoch = leases.epoch and l.state <> 'disabled'
  join callboard.subscriptions s
    on s.account_id = leases.account_id and s.mode = leases.mode and s.id = leases.subscription_id
),
freed as (
  update callboard.retries r set due_at = callboard.clock() where r.ctid = any (array(
    select f.place from touched t cross join lateral ${firstOfSubject('t', 't.subject')} f
    where t.ordering = 'subject' and f.due_at is null
    union all
    select x.ctid from touched t join callboard.retries x on ${sameLane('x', 't')} and x.subject = t.subject
    where t.ordering = 'none' and x.due_at is null
  ))
  returning r.account_id, r.mode, r.subscription_id
),
woken as (${WOKEN}
)
select count(*)::int as n from woken`,
}

/**
 * Makes retries due that wait although they come first in their subject. Changes only idle lanes, and makes at most
 * 1,000 retries due per call; the next sweep continues.
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
woken as (${WOKEN}
)
select count(*)::int as n from woken`,
}
