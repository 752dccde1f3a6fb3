import type { DeliveryStore, HandOverRequest } from '@callboard/core/store'
import type { Database } from '../database/database.ts'
import { toHandedOverLanes } from '../lanes/leased-lanes.ts'
import { markAfter, NO_MARK, type OutboxMark } from './outbox-mark.ts'
import { sequence } from './sequence-and-lease.ts'

const LEASING_NOTHING: HandOverRequest = { worker: '', call: 0, lanes: 0, leaseMs: 0, leaveOut: [], leaveOutHosts: [] }

export interface SequencerOptions {
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  /** Called after each pass, with its duration in milliseconds. */
  readonly onCommitted: (durationMs: number) => void
}

export interface Sequencer {
  /** Makes one pass over the outbox. */
  readonly sequence: DeliveryStore['sequence']
  /** Makes the next pass begin at the outbox's start. */
  forgetMark(): void
}

/** Sequences the outbox in passes, each of which begins at the mark that the passes before it left. */
export function createSequencer(
  database: Database,
  schema: string,
  { elapsed, onCommitted }: SequencerOptions,
): Sequencer {
  let mark: OutboxMark = NO_MARK

  return {
    async sequence(limit, lease = LEASING_NOTHING) {
      const since = elapsed()
      const from = mark
      const parameters = {
        ...lease,
        schema,
        limit,
        run: from.run,
        mark: from.queued,
        pending: from.pending,
        awaited: from.next?.pending ?? [],
      }
      const rows = await database.run(sequence, parameters)
      onCommitted(elapsed() - since)
      const [first] = rows
      if (first === undefined) return { sequenced: 0, lanes: [], rest: false, more: false }
      // If another pass in this process has changed the mark meanwhile, that newer mark stays.
      if (mark === from) mark = markAfter(from, first, elapsed())
      const lanes = await toHandedOverLanes(
        database,
        rows.flatMap(({ lane }) => lane ?? []),
      )
      return { sequenced: first.n, lanes, rest: first.rest, more: first.more }
    },
    forgetMark() {
      mark = NO_MARK
    },
  }
}
