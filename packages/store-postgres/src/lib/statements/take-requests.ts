import type { Statement } from './statement.ts'

/**
 * Takes $2 requests of each key $1 from its windows of $3 seconds and $4 limits, three a key. Keys are in ascending order (migration
 * 0007). A row for each: when they were judged, in seconds since the epoch, how many of them were admitted, and start and count of each
 * window afterwards, as JSON: eight columns cost more.
 */
export const takeRequests: Statement<{ taken: string }> = {
  name: 'take-requests',
  text: `
select json_build_array(now, taken, start1, used1, start2, used2, start3, used3)::text as taken
from callboard.take_requests($1::uuid[], $2::int[], $3::int[], $4::int[])`,
}
