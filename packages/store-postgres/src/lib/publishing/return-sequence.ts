import type { OwnerParameters, Statement } from '../sql/statement.ts'

export interface ReturnSequenceParameters extends OwnerParameters {
  readonly type: string
  readonly id: string
  readonly sequence: number
}

/**
 * Gives a sequence back to its counter if its event was not stored. This transaction still has the counter's row
 * locked, so nobody else has seen the sequence. Returns no row if a later event of the same call already has the next
 * sequence.
 */
export const returnSequence: Statement<{ last: number }, ReturnSequenceParameters> = {
  name: 'return-sequence',
  text: `
update callboard.subjects set last = last - 1
where account_id = :accountId and mode = :mode and type = :type and id = :id and last = :sequence::bigint
returning last::float8 as last`,
}
