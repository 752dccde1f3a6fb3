import type { LeasedLaneRow } from './lease.ts'
import type { Statement } from './statement.ts'

/** The result of a pass over the outbox, and what it could not see. */
export interface SequenceRow {
  /** How many events were sequenced. */
  n: number
  /** Rows left in the outbox up to this number belong to transactions in `running`; null: unknown. */
  through: number | null
  running: string[]
  /** The transactions in `pending` and `awaited` that have not ended. */
  unended: string[]
  /** Whether the pass began at the outbox's start, or after the mark. */
  whole: boolean
  /** Whether lanes that were not leased may have work. */
  rest: boolean
  /** JSON of a {@link HandedOverLane}; null: none was leased. */
  lane: string | null
}

/** A lane that was leased with the one event that was sequenced. */
export interface HandedOverLane extends LeasedLaneRow {
  event_id: string
  /** Null, like the fields below, if retention has removed the event. */
  type: string | null
  body: string | null
  patch: string | null
  fingerprint: string | null
  trace: string | null
}

export interface SequenceParameters {
  /** Each schema has a lock of its own. */
  readonly schema: string
  readonly limit: number
  /** The mark (see `outbox-mark.ts`), the transactions below it, and the transactions below the next mark. */
  readonly mark: number
  readonly pending: readonly string[]
  readonly awaited: readonly string[]
  readonly worker: string
  readonly lanes: number
  readonly leaseMs: number
  readonly slow: boolean
  readonly leaveOut: readonly string[]
}

/**
 * Sequences the outbox and may lease lanes. No row: another process is sequencing. If the outbox is empty, nothing is
 * written.
 */
export const sequence: Statement<SequenceRow, SequenceParameters> = {
  name: 'sequence',
  text: `
select n, through::float8 as through, running::text[] as running, unended::text[] as unended, whole, rest,
  lane::text as lane
from callboard.sequence_and_lease(
  hashtextextended('callboard sequencer ' || :schema::text, 0), :limit::int,
  :mark::bigint, :pending::text[]::xid8[], :awaited::text[]::xid8[],
  :worker::text, :lanes::int, :leaseMs::float8, :slow::boolean, :leaveOut::text[]
)`,
}
