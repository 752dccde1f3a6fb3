import { AUTOMATIC_REASONS } from '@callboard/core/store'
import type { Statement } from '../sql/statement.ts'
import { type HealthRow, healthOf } from './health-of.ts'

export interface TroubledParameters {
  /** The most subscriptions of each kind. */
  readonly limit: number
  /** Of the disabled subscriptions, only those that were disabled within this time. */
  readonly latelyMs: number
  /** Work that has waited for longer than this is late. */
  readonly lateMs: number
}

/** The search for late lanes that are leased looks at no more than `limit` times this many lanes. */
const LEASED_LANES = 10

const ago = (milliseconds: string): string => `callboard.clock() - ${milliseconds}::float8 * interval '1 ms'`

/**
 * Subscriptions in trouble, across all accounts. For each kind of trouble, there is an index in which the worst
 * subscription comes first. A leased lane is late only if its oldest pending event is late.
 */
export const troubled: Statement<HealthRow, TroubledParameters> = {
  name: 'troubled',
  text: `
with shown as materialized (
  select c.account_id, c.mode, c.id, bool_and(c.leased) as leased
  from (
    (
      select l.account_id, l.mode, l.subscription_id as id, false as leased from callboard.lanes l
      where l.failing_since is not null and l.state <> 'disabled'
      order by l.failing_since limit :limit::int
    )
    union all
    (
      select l.account_id, l.mode, l.subscription_id, false from callboard.lanes l
      where l.state <> 'leased' and l.wake_at <= ${ago(':lateMs')}
      order by l.wake_at limit :limit::int
    )
    union all
    (
      select l.account_id, l.mode, l.subscription_id, l.wake_at > callboard.clock() from callboard.lanes l
      where l.state = 'leased' and l.head > l.settled_through
      order by l.wake_at limit ${LEASED_LANES} * :limit::int
    )
    union all
    (
      select s.account_id, s.mode, s.id, false from callboard.subscriptions s
      where s.state = 'disabled' and s.disabled_reason in (${AUTOMATIC_REASONS.map((reason) => `'${reason}'`).join(', ')})
        and s.changed_at >= ${ago(':latelyMs')}
      order by s.changed_at desc limit :limit::int
    )
  ) c
  group by c.account_id, c.mode, c.id
)${healthOf({ accountId: 'i.account_id', mode: 'i.mode' })}
where not i.leased or p.published_at <= ${ago(':lateMs')}`,
}
