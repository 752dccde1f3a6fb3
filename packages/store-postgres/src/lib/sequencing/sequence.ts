import type { LeasedLaneRow } from '../lanes/read-leases.ts'
import type { Statement } from '../sql/statement.ts'

/** The result of a pass over the outbox, with the open transactions whose events it could not see. */
export interface SequenceRow {
  /**
   * The server's run (see `outbox-mark.ts`). A later run may give out the same numbers in the outbox again. Null on a
   * standby.
   */
  run: string | null
  /** How many events were sequenced. */
  n: number
  /**
   * The highest number in the outbox that the pass saw; null: unknown. If an event with a lower number is still
   * unsequenced, its transaction is in `running`.
   */
  through: number | null
  running: string[]
  /** Those transactions in the parameters `pending` and `awaited` that have not ended. */
  unended: string[]
  /** Whether the pass began at the outbox's start; otherwise it began after the mark. */
  whole: boolean
  /** Whether lanes that this call did not lease may have work. */
  rest: boolean
  /** Whether this call may have left events for the next call. */
  more: boolean
  /** A {@link HandedOverLane}, or the lease alone, as JSON; null if no lane was leased. */
  lane: string | null
}

/** A lane that was leased for the only event that the call sequenced. */
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
  /** Part of the key of the sequencer's lock, so that each schema has its own. */
  readonly schema: string
  readonly limit: number
  /**
   * `run` is the server's run that the mark belongs to, and `mark` is the mark (see `outbox-mark.ts`). `pending` and
   * `awaited` are the open transactions that this mark and the next one wait for.
   */
  readonly run: string | null
  readonly mark: number
  readonly pending: readonly string[]
  readonly awaited: readonly string[]
  readonly worker: string
  readonly call: number
  readonly lanes: number
  readonly leaseMs: number
  readonly leaveOut: readonly string[]
  readonly leaveOutHosts: readonly string[]
}

/**
 * Sequences events and may lease lanes. Returns no row if another process is sequencing. If the outbox is empty, nothing
 * is written.
 */
export const sequence: Statement<SequenceRow, SequenceParameters> = {
  name: 'sequence',
  text: `
select run::text as run, n, through::float8 as through, running::text[] as running, unended::text[] as unended, whole,
  rest, more, lane::text as lane
from callboard.sequence_and_lease(
  hashtextextended('callboard sequencer ' || :schema::text, 0), :limit::int, :run::uuid, :mark::bigint, :pending::text[]::xid8[],
  :awaited::text[]::xid8[], :worker::text, :call::bigint, :lanes::int, :leaseMs::float8, :leaveOut::text[], :leaveOutHosts::text[]
)`,
}
