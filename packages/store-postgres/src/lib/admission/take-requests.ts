import type { Statement } from '../sql/statement.ts'

export interface KeyRequests {
  readonly account: string
  /** UUID of the key. */
  readonly key: string
  readonly asked: number
  /** Three windows. */
  readonly seconds: readonly number[]
  readonly limits: readonly number[]
}

/**
 * Counts requests of several keys, which must be in ascending order. Returns a row for each key, as one JSON array,
 * because eight columns cost more. The array has the time of the decision in seconds since 1970, the number of admitted
 * requests, and the start and count of each window afterwards.
 */
export const takeRequests: Statement<{ taken: string }, { readonly keys: readonly KeyRequests[] }> = {
  name: 'take-requests',
  text: `
select json_build_array(now, taken, start1, used1, start2, used2, start3, used3)::text as taken
from callboard.take_requests(
  :keys.account::text[], :keys.key::uuid[], :keys.asked::int[], :keys.seconds::int[], :keys.limits::int[]
)`,
}
