import type { Statement } from './statement.ts'

export interface KeyRequests {
  /** UUID of the key. */
  readonly key: string
  readonly asked: number
  /** Three windows. */
  readonly seconds: readonly number[]
  readonly limits: readonly number[]
}

/**
 * Counts requests of several keys, in ascending order of the keys. A row for each, as a JSON array because eight
 * columns cost more: seconds since 1970 when they were judged, how many were admitted, and start and count of each
 * window afterwards.
 */
export const takeRequests: Statement<{ taken: string }, { readonly keys: readonly KeyRequests[] }> = {
  name: 'take-requests',
  text: `
select json_build_array(now, taken, start1, used1, start2, used2, start3, used3)::text as taken
from callboard.take_requests(:keys.key::uuid[], :keys.asked::int[], :keys.seconds::int[], :keys.limits::int[])`,
}
