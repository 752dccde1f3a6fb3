import type { DeliveryStore } from '@callboard/core/store'
import type { Database } from './database.ts'
import { toHandedOverLane } from './leased-lanes.ts'
import { markAfter, NO_MARK, type OutboxMark } from './outbox-mark.ts'
import { type SequenceRow, sequence } from './statements/sequence.ts'

export interface SequencerOptions {
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  /** Called after each pass, with its duration in milliseconds. */
  readonly onCommitted: (durationMs: number) => void
}

export interface Sequencer {
  /** Makes one pass over the outbox. */
  readonly sequence: DeliveryStore['sequenceAndLease']
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
    async sequence(limit, request, onLeased) {
      const since = elapsed()
      const from = mark
      let first: SequenceRow | undefined
      const parameters = {
        ...request,
        schema,
        limit,
        run: from.run,
        mark: from.queued,
        pending: from.pending,
        awaited: from.next?.pending ?? [],
      }
      await database.stream(sequence, parameters, (row) => {
        first ??= row
        if (row.lane !== null) for (const lane of toHandedOverLane(row.lane)) onLeased(lane)
      })
      onCommitted(elapsed() - since)
      if (first === undefined) return { sequenced: 0, rest: false, more: false }
      // If another pass in this process has changed the mark meanwhile, that newer mark stays.
      if (mark === from) mark = markAfter(from, first, elapsed())
      return { sequenced: first.n, rest: first.rest, more: first.more }
    },
    forgetMark() {
      mark = NO_MARK
    },
  }
}
