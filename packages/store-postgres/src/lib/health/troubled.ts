import { CAPS } from '@callboard/core/store'
import { newestLane } from '../lanes/lane-key.ts'
import { type OwnerParameters, PAGE, type Statement } from '../sql/statement.ts'
import { NEWEST } from './activity.ts'
import { type HealthRow, healthOf } from './health-of.ts'
import { OWNER, ofAccount } from './overview.ts'

export interface TroubledParameters {
  /** The most subscriptions of each kind. */
  readonly limit: number
  /** Of the disabled subscriptions, only those with one of these reasons. */
  readonly reasons: readonly string[]
  /** Of the disabled subscriptions, only those that were disabled within this time. */
  readonly latelyMs: number
  /** Work that has waited for longer than this is late. */
  readonly lateMs: number
}

/** The search for late lanes that are leased looks at no more than `limit` times this many lanes. */
const LEASED_LANES = 10

const ago = (milliseconds: string): string => `callboard.clock() - ${milliseconds}::float8 * interval '1 ms'`

const NOT_LATE = `where not i.leased or p.published_at <= ${ago(':lateMs')}`

/**
 * SQL for the worst subscriptions of each kind. A leased lane is late only if its oldest pending event is late.
 *
 * @param lanes the table of lanes `l`. @param subscriptions SQL that selects from the subscriptions `s`.
 */
const worst = (lanes: string, subscriptions: string): string => `
  select c.account_id, c.mode, c.id, bool_and(c.leased) as leased
  from (
    (
      select l.account_id, l.mode, l.subscription_id as id, false as leased from ${lanes} l
      where l.failing_since is not null and l.state <> 'disabled'
      order by l.failing_since limit :limit::int
    )
    union all
    (
      select l.account_id, l.mode, l.subscription_id, false from ${lanes} l
      where l.state <> 'leased' and l.wake_at <= ${ago(':lateMs')}
      order by l.wake_at limit :limit::int
    )
    union all
    (
      select l.account_id, l.mode, l.subscription_id, l.wake_at > callboard.clock() from ${lanes} l
      where l.state = 'leased' and l.head > l.settled_through
      order by l.wake_at limit ${LEASED_LANES} * :limit::int
    )
    union all
    (
      select s.account_id, s.mode, s.id, false from ${subscriptions}
        and s.state = 'disabled' and s.disabled_reason = any (:reasons::text[])
        and s.changed_at >= ${ago(':latelyMs')}
      order by s.changed_at desc limit :limit::int
    )
  ) c
  group by c.account_id, c.mode, c.id`

/** Subscriptions in trouble, across all accounts. For each kind, there is an index in which the worst comes first. */
export const troubled: Statement<HealthRow, TroubledParameters> = {
  name: 'troubled',
  text: `
with shown as materialized (${worst('callboard.lanes', 'callboard.subscriptions s where true')}
)${healthOf({ accountId: 'i.account_id', mode: 'i.mode' })}
${NOT_LATE}`,
}

/**
 * The same of one account. No index has an account's worst lane first, so it looks at the lanes of the newest
 * subscriptions, as `activity` does.
 */
export const troubledOfAccount: Statement<HealthRow, TroubledParameters & OwnerParameters> = {
  ...PAGE,
  name: 'troubled-of-account',
  text: `
with looked as materialized (${NEWEST}
),
lane as materialized (
  select l.* from looked k cross join lateral ${newestLane({ ...OWNER, id: 'k.id' })} l
),
shown as materialized (${worst(
    'lane',
    `(
        select * from callboard.subscriptions x where ${ofAccount('x')} and x.state = 'disabled'
        order by x.id desc limit ${CAPS.summed}
      ) s where true`,
  )}
)${healthOf(OWNER)}
${NOT_LATE}`,
}
