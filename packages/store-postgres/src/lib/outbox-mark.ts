import type { SequenceRow } from './statements/sequence.ts'

/** Where a pass over the outbox begins: what is not placed up to `queued` belongs to transactions in `pending`. */
interface Mark {
  readonly queued: number
  readonly pending: readonly string[]
}

/** The start of the outbox. */
export const NO_MARK: OutboxMark = { queued: 0, pending: [], next: undefined }

export interface OutboxMark extends Mark {
  /** What will be the mark when only transactions are pending that take long. */
  readonly next: (Mark & { readonly since: number }) | undefined
}

/** A transaction that runs longer, in milliseconds, makes the pass after its end begin at the start. */
const SHORT_MS = 1_000

/**
 * The mark after a pass. Under a transaction that keeps vacuum from working for two minutes at 5,000 events/s, 600,000 rows
 * that are gone lie at the start of the outbox: 140 ms a pass to read over them. Numbers are given out before transactions commit, so the highest
 * one seen is no place to go on from by itself: events of a transaction that commits late lie below it, and would be lost.
 * Which transactions those may be is known: the ones that ran when the number was seen.
 */
export function markAfter(
  mark: OutboxMark,
  { n, through, running, unended, whole }: SequenceRow,
  most: number,
  now: number,
): OutboxMark {
  const left = (pending: readonly string[]): string[] => pending.filter((xid) => unended.includes(xid))
  const tookAll = n < most
  if (whole && mark.queued > 0) return tookAll ? { ...mark, pending: left(mark.pending), next: undefined } : NO_MARK
  const { queued, pending } = mark
  const waited = mark.next
  const next =
    waited !== undefined && (tookAll || (through ?? 0) >= waited.queued)
      ? { ...waited, pending: left(waited.pending) }
      : waited
  const settled =
    next !== undefined && (now - next.since > SHORT_MS || next.pending.every((xid) => pending.includes(xid)))
  const seen = through === null ? undefined : { queued: through, pending: running, since: now }
  if (settled) return { queued: next.queued, pending: next.pending, next: seen }
  return { queued, pending, next: next ?? seen }
}
