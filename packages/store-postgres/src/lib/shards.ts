import type { DeliveryStore, HandOverRequest } from '@callboard/core/store'
import type { Database } from './database.ts'
import { toHandedOverLane } from './leased-lanes.ts'
import { markAfter, NO_MARK, type OutboxMark } from './outbox-mark.ts'
import { type SequenceRow, sequence } from './statements/sequence.ts'

/**
 * If the number of shards has changed this often during a call, the call leaves the remaining shards to the next call.
 */
const MOST_CHANGES = 4

export interface ShardsOptions {
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
  /** Called after each pass, with its duration in milliseconds. */
  readonly onCommitted: (durationMs: number) => void
}

export interface Shards {
  /**
   * Makes one pass over every shard that no other pass has taken. Once a pass has leased lanes, the remaining shards
   * are left to the next call, so that the deliveries of these lanes need not wait.
   */
  readonly sequence: DeliveryStore['sequenceAndLease']
  /** Makes the next pass over each shard begin at the outbox's start. */
  forgetMarks(): void
}

/**
 * Sequences the shards of the outbox one after the other, each in a transaction of its own. Several workers sequence
 * different shards at the same time, because a pass skips a shard that another pass has taken.
 *
 * The number of shards is kept in the database, and a pass returns it. A pass that was given another number does
 * nothing else, so the number may change at any time.
 */
export function createShards(database: Database, schema: string, { elapsed, onCommitted }: ShardsOptions): Shards {
  let marks: readonly OutboxMark[] = [NO_MARK]
  /**
   * The shard that the next call starts with: the one after the previous call's last shard, so that none is left out.
   */
  let first = 0

  const noMarks = (count: number): OutboxMark[] => Array.from({ length: count }, () => NO_MARK)

  const pass = async (
    shard: number,
    limit: number,
    request: HandOverRequest,
    onLane: (lane: string) => void,
  ): Promise<SequenceRow | undefined> => {
    const since = elapsed()
    const shards = marks.length
    const from = marks[shard] ?? NO_MARK
    let first: SequenceRow | undefined
    const parameters = {
      ...request,
      schema,
      shard,
      shards,
      limit,
      run: from.run,
      mark: from.queued,
      pending: from.pending,
      awaited: from.next?.pending ?? [],
    }
    await database.stream(sequence, parameters, (row) => {
      first ??= row
      if (row.lane !== null) onLane(row.lane)
    })
    onCommitted(elapsed() - since)
    if (first === undefined) return undefined
    if (first.shards !== shards) marks = noMarks(first.shards)
    // If another pass in this process has changed the mark meanwhile, that newer mark stays.
    else if (marks[shard] === from) marks = marks.with(shard, markAfter(from, first, elapsed()))
    return first
  }

  return {
    async sequence(limit, request, onLeased) {
      let sequenced = 0
      let rest = false
      let more = false
      let leased = false
      let next = first
      let left = marks.length
      for (let changes = 0; left > 0 && changes < MOST_CHANGES && sequenced < limit && !leased; left--) {
        const shards = marks.length
        const shard = next % shards
        const row = await pass(shard, limit - sequenced, request, (lane) => {
          leased = true
          for (const each of toHandedOverLane(lane)) onLeased(each)
        })
        next = shard + 1
        sequenced += row?.n ?? 0
        rest ||= row?.rest ?? false
        more ||= row?.more ?? false
        if (marks.length === shards) continue
        // The number of shards has changed, so begin again.
        left = marks.length + 1
        changes++
      }
      first = next
      return { sequenced, rest, more: more || left > 0 }
    },
    forgetMarks() {
      marks = noMarks(marks.length)
    },
  }
}
