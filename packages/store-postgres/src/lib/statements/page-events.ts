import { type EventPageRow, eventPage, ofType } from './event-page.ts'
import type { Statement } from './statement.ts'

// Two texts, not one with an optional filter: its generic plan cannot use the index by type (a rare type then reads the
// whole account: 935 ms against 0.1 ms). What is asked for is hidden from the planner, as in admit.ts, and for the same reason.
const page = (asked: string, filter: string): string => `
with asked as materialized (
  select $1::text as account_id, $2::text as mode, $3::timestamptz as after_at, $4::uuid as after_id,
    callboard.clock() - $6::float8 * interval '1 ms' as oldest${asked}
)
select page.* from asked cross join lateral (${eventPage({ from: 'asked', limit: '$5', personalData: '$7::boolean', filter })}) page`

export const pageEvents: Statement<EventPageRow> = { name: 'page-events', text: page('', 'true') }

export const pageEventsOfType: Statement<EventPageRow> = {
  name: 'page-events-of-type',
  text: page(', $8::text as type', ofType('asked.type')),
}
