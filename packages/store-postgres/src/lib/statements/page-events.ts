import type { EventTextRow } from './find-event.ts'
import type { Statement } from './statement.ts'

// Two texts, not one with an optional filter: its generic plan cannot use the index by type (a rare type then reads the
// whole account: 935 ms against 0.1 ms).
const page = (filter: string): string => `
select id::text as id, type, extract(epoch from occurred_at)::float8 * 1000 as occurred_at, body,
  case when $7::boolean then patch end as patch, fingerprint
from callboard.events
where account_id = $1 and mode = $2 and (occurred_at, id) < ($3::timestamptz, $4::uuid)
  and published_at >= callboard.clock() - $6::float8 * interval '1 ms' ${filter}
order by occurred_at desc, id desc limit $5::int`

export const pageEvents: Statement<EventTextRow> = { name: 'page-events', text: page('') }

export const pageEventsOfType: Statement<EventTextRow> = { name: 'page-events-of-type', text: page('and type = $8') }
