import type { EventTextRow } from './find-event.ts'
import type { Statement } from './statement.ts'

// Two texts, not one with an optional filter: its generic plan cannot use the index by type (a rare type then reads the
// whole account: 935 ms against 0.1 ms). What is asked for is hidden from the planner, as in admit.ts, and for the same reason.
const page = (filter: string): string => `
with asked as materialized (
  select $1::text as account_id, $2::text as mode, $3::timestamptz as after_at, $4::uuid as after_id,
    callboard.clock() - $6::float8 * interval '1 ms' as oldest${filter === '' ? '' : ', $8::text as type'}
)
select e.* from asked cross join lateral (
  select e.id::text as id, e.type, date_part('epoch', e.occurred_at) * 1000 as occurred_at, e.body,
    case when $7::boolean then e.patch end as patch, e.fingerprint
  from callboard.events e
  where e.account_id = asked.account_id and e.mode = asked.mode and (e.occurred_at, e.id) < (asked.after_at, asked.after_id)
    and e.published_at >= asked.oldest ${filter}
  order by e.occurred_at desc, e.id desc limit (select $5::int)
) e`

export const pageEvents: Statement<EventTextRow> = { name: 'page-events', text: page('') }

export const pageEventsOfType: Statement<EventTextRow> = {
  name: 'page-events-of-type',
  text: page('and e.type = asked.type'),
}
