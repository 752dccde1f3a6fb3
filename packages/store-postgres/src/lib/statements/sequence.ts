import type { Statement } from './statement.ts'

/** What a pass over the outbox did, and what it could not see. */
export interface SequenceRow {
  /** How many were placed. */
  n: number
  /** Up to this number of the outbox, what is not placed belongs to transactions in `running`; null: nothing is known. */
  through: number | null
  running: string[]
  /** Of the transactions that were asked about, those that have not ended. */
  unended: string[]
  /** Whether it began at the start of the outbox, or after the mark. */
  whole: boolean
}

/**
 * Places what is in the outbox (see the migration that makes the function); no row: somebody else does. Nothing to place is all that
 * an idle look costs, and it writes nothing.
 */
export const sequence: Statement<SequenceRow> = {
  name: 'sequence',
  text: `
select n, through::float8 as through, running::text[] as running, unended::text[] as unended, whole
from callboard.sequence_outbox(hashtextextended('callboard sequencer ' || $1::text, 0), $2::int, $3::bigint, $4::text[]::xid8[], $5::text[]::xid8[])`,
}
