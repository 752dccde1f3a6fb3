import type { SequenceRow } from './sequence-and-lease.ts'

/**
 * Where a pass over the outbox starts reading. An event with a number up to `queued` can still appear only if one of
 * the transactions in `pending` commits it.
 */
interface Mark {
  readonly queued: number
  readonly pending: readonly string[]
}

/** The start of the outbox. */
export const NO_MARK: OutboxMark = { run: null, queued: 0, pending: [], next: undefined }

export interface OutboxMark extends Mark {
  /** The server's run that the mark belongs to. In another run, the next pass begins at the outbox's start. */
  readonly run: string | null
  /** The next mark. It takes effect when all its pending transactions have ended, or when only long ones are left. */
  readonly next: (Mark & { readonly since: number }) | undefined
}

/**
 * How long the next mark waits for its pending transactions, in milliseconds. When a transaction that was open for
 * longer ends, the next pass begins at the outbox's start.
 */
const SHORT_MS = 1_000

/**
 * Returns the mark after a pass, so that the next pass can skip dead rows at the start of the outbox. A transaction
 * that blocked vacuum for two minutes at 5,000 events/s left 600,000 dead rows, and reading past them took each pass
 * 140 ms.
 *
 * An event gets its number before its transaction commits, so a pass that simply continued after the highest number
 * seen would miss lower numbers that commit later. A mark therefore includes the transactions that were running when
 * its number was seen.
 *
 * A mark belongs to one run of the server. If commits do not wait for the write-ahead log, a crash or a failover may
 * lose the end of the log, and numbers that a pass has seen are given out again. New numbers or transaction ids may
 * exceed the old ones before the next pass, so comparing them would not show this reliably. Nor would the server's
 * start time, which does not change when a single backend crashes. A run is therefore a row of an unlogged table, which
 * every recovery empties.
 */
export function markAfter(
  given: OutboxMark,
  { run, more, through, running, unended, whole }: SequenceRow,
  now: number,
): OutboxMark {
  const mark = run === given.run ? given : { ...NO_MARK, run }
  const left = (pending: readonly string[]): string[] => pending.filter((xid) => unended.includes(xid))
  const tookAll = !more
  if (whole && mark.queued > 0)
    return tookAll ? { ...mark, pending: left(mark.pending), next: undefined } : { ...NO_MARK, run }
  const { queued, pending } = mark
  const waited = mark.next
  const next =
    waited !== undefined && (tookAll || (through ?? 0) >= waited.queued)
      ? { ...waited, pending: left(waited.pending) }
      : waited
  const isReady =
    next !== undefined && (now - next.since > SHORT_MS || next.pending.every((xid) => pending.includes(xid)))
  const seen = through === null ? undefined : { queued: through, pending: running, since: now }
  if (isReady) return { run, queued: next.queued, pending: next.pending, next: seen }
  return { run, queued, pending, next: next ?? seen }
}
