import type { LeasedLaneRow } from './lease.ts'
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
  /** Whether there may be lanes with work that were not leased. */
  rest: boolean
  /** JSON of a {@link HandedOverLane}; null: none was leased. */
  lane: string | null
}

/** A lane that was leased with the one event that was placed. */
export interface HandedOverLane extends LeasedLaneRow {
  event_id: string
  /** Null: retention has overtaken it. */
  type: string | null
  body: string | null
  patch: string | null
  fingerprint: string | null
  trace: string | null
}

/**
 * Places what is in the outbox, and may lease lanes of it (see the migrations that make the functions); no row: somebody else does.
 * Nothing to place is all that an idle look costs, and it writes nothing.
 */
export const sequence: Statement<SequenceRow> = {
  name: 'sequence',
  text: `
select n, through::float8 as through, running::text[] as running, unended::text[] as unended, whole, rest, lane::text as lane
from callboard.place_and_lease(hashtextextended('callboard sequencer ' || $1::text, 0), $2::int, $3::bigint, $4::text[]::xid8[], $5::text[]::xid8[],
  $6::text, $7::int, $8::float8, $9::boolean, $10::text[])`,
}
