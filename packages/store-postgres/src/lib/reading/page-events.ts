import type { OwnerParameters, Statement } from '../sql/statement.ts'
import { type EventPageRow, eventPage, isOfType } from './event-page.ts'

export interface EventPageParameters extends OwnerParameters {
  /** Only events that occurred before `afterAt`, or at `afterAt` with an id lower than `afterId`. */
  readonly afterAt: string
  readonly afterId: string
  readonly limit: number
  readonly horizonMs: number
  readonly personalData: boolean
}

// There are two statements, with and without a filter by type, because the generic plan of one statement with an
// optional filter could not use the index by type: a page of a rare type would read the whole account (935 ms instead
// of 0.1). The CTE hides the values from the planner, for the reason given in admit.ts.
const page = (type: string, filter: string): string => `
with asked as materialized (
  select :accountId::text as account_id, :mode::text as mode,
    :afterAt::timestamptz as after_at, :afterId::uuid as after_id,
    callboard.clock() - :horizonMs::float8 * interval '1 ms' as oldest${type}
)
select page.* from asked cross join lateral (${eventPage({
  from: 'asked',
  limit: ':limit',
  personalData: ':personalData::boolean',
  filter,
})}) page`

export const pageEvents: Statement<EventPageRow, EventPageParameters> = {
  page: true,
  name: 'page-events',
  text: page('', 'true'),
}

export const pageEventsOfType: Statement<EventPageRow, EventPageParameters & { type: string }> = {
  page: true,
  name: 'page-events-of-type',
  text: page(', :type::text as type', isOfType('asked.type')),
}
