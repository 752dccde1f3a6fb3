import type { OwnerParameters, Statement } from './statement.ts'

export interface ReturnSequenceParameters extends OwnerParameters {
  readonly type: string
  readonly id: string
  readonly sequence: number
}

/**
 * Returns to the counter a sequence that an event took and did not use. This transaction still has the counter's row
 * locked, so nobody has seen the sequence. No row: a later event of the same call already has the next sequence.
 */
export const returnSequence: Statement<{ last: number }, ReturnSequenceParameters> = {
  name: 'return-sequence',
  text: `
update callboard.subjects set last = last - 1
where account_id = :accountId and mode = :mode and type = :type and id = :id and last = :sequence::bigint
returning last::float8 as last`,
}
