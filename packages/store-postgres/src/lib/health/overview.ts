import { CAPS, type OverviewState } from '@callboard/core/store'
import { type OwnerParameters, PAGE, type Statement, type SubscriptionKey } from '../sql/statement.ts'
import { type HealthRow, healthOf, type SqlOwner } from './health-of.ts'

/** These counts are the same on every row of a page, including the row of a page without subscriptions. */
export interface OverviewCounts {
  looked_at: number
  last_id: string | null
  counted: number
  failing: number
  disabled: number
}

export type OverviewRow = OverviewCounts & (HealthRow | { readonly id: null })

export interface OverviewParameters extends OwnerParameters {
  /** Only subscriptions with a lower id than this UUID. */
  readonly before: string
  /** How many subscriptions to look at. */
  readonly step: number
  /** The text to search for, in lower case; null: all subscriptions. */
  readonly search: string | null
  /** The values that a subscription must have; null: any. */
  readonly only: Readonly<Record<'source' | 'integration' | 'externalRef' | 'targetUrl', string | null>>
  /** How many to show. */
  readonly limit: number
}

/** SQL for the account and the mode in a statement's parameters. */
export const OWNER: SqlOwner = { accountId: ':accountId', mode: ':mode' }
/** SQL that tests whether a row belongs to {@link OWNER}. */
export const ofAccount = (row: string): string => `${row}.account_id = :accountId and ${row}.mode = :mode`

const has = (column: string, parameter: string): string =>
  `(${parameter}::text is null or x.${column} = ${parameter}::text)`

/** SQL that tests whether subscription `x` contains the text `search` and has the values `only`, as far as given. */
const MATCHES = `(:search::text is null or strpos(x.searched, :search::text) > 0)
    and ${has('source', ':only.source')} and ${has('integration', ':only.integration')}
    and ${has('external_ref', ':only.externalRef')} and ${has('target_url', ':only.targetUrl')}`

const idsIn = (state: 'active' | 'disabled'): string => `
  select x.id, ${MATCHES} as matches from callboard.subscriptions x
  where ${ofAccount('x')} and x.state = '${state}' and x.id < :before::uuid
  order by x.id desc limit :step::int`

/** SQL for the ids of the subscriptions to look at, newest first, and whether each of them contains the text. */
const IDS: Readonly<Record<OverviewState | 'all', string>> = {
  active: idsIn('active'),
  disabled: idsIn('disabled'),
  all: `(${idsIn('active')}) union all (${idsIn('disabled')}) order by id desc limit :step::int`,
  failing: `
  select l.id, m.matches
  from (
    select x.subscription_id as id from callboard.lanes x
    where ${ofAccount('x')} and x.failing_since is not null and x.state <> 'disabled'
      and x.subscription_id < :before::uuid
    order by x.subscription_id desc limit :step::int
  ) l
  cross join lateral (
    select ${MATCHES} as matches from callboard.subscriptions x where ${ofAccount('x')} and x.id = l.id limit 1
  ) m`,
}

/** Counts up to a limit, because counting 10,000 takes 1 ms, half as long as reading a whole page of subscriptions. */
const counted = (table: string, filter: string, order: string): string => `(
    select count(*)::int from (
      select from callboard.${table} x where ${ofAccount('x')} and ${filter}
      order by ${order} limit ${CAPS.subscriptions}
    ) x
  )`

/** SQL for `counted`, `failing` and `disabled` of {@link OverviewCounts}, each up to {@link CAPS.subscriptions}. */
export const COUNTS: string = `
  select least(c.active + c.disabled, ${CAPS.subscriptions}) as counted, c.failing, c.disabled from (
    select ${counted('subscriptions', "x.state = 'active'", 'x.id')} as active,
      ${counted('subscriptions', "x.state = 'disabled'", 'x.id')} as disabled,
      ${counted('lanes', "x.failing_since is not null and x.state <> 'disabled'", 'x.subscription_id')} as failing
  ) c`

const overview = (state: OverviewState | 'all'): Statement<OverviewRow, OverviewParameters> => ({
  ...PAGE,
  name: `overview-${state}`,
  text: `
with looked as materialized (${IDS[state]}
),
shown as materialized (
  select k.id from looked k where k.matches order by k.id desc limit :limit::int
)
select k.looked_at, k.last_id, c.counted, c.failing, c.disabled, h.*
from (${COUNTS}
) c
cross join (
  select count(*)::int as looked_at, (select id::text from looked order by id limit 1) as last_id
  from looked
) k
left join (${healthOf(OWNER)}
) h on true
order by h.place desc`,
})

export const overviews: Readonly<Record<OverviewState | 'all', Statement<OverviewRow, OverviewParameters>>> = {
  all: overview('all'),
  active: overview('active'),
  disabled: overview('disabled'),
  failing: overview('failing'),
}

export const findHealth: Statement<HealthRow, SubscriptionKey> = {
  ...PAGE,
  name: 'find-health',
  text: `
with shown as materialized (
  select x.id from callboard.subscriptions x where ${ofAccount('x')} and x.id = :id::uuid and x.state <> 'removed'
)${healthOf(OWNER)}`,
}
