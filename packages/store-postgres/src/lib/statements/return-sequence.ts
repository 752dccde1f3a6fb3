import type { Statement } from './statement.ts'

/**
 * Gives a sequence back that an event took and did not use. The counter's row is locked by this transaction, so nobody
 * has seen it; no row means that a later event of the same call has the next one already.
 */
export const returnSequence: Statement<{ last: number }> = {
  name: 'return-sequence',
  text: `
update callboard.subjects set last = last - 1
where account_id = $1 and mode = $2 and type = $3 and id = $4 and last = $5::bigint
returning last::float8 as last`,
}
