import type { SequenceRow } from './statements/sequence.ts'

/** Where a pass over the outbox starts. Unsequenced events up to `queued` belong to transactions in `pending`. */
interface Mark {
  readonly queued: number
  readonly pending: readonly string[]
}

/** The start of the outbox. */
export const NO_MARK: OutboxMark = { queued: 0, pending: [], next: undefined }

export interface OutboxMark extends Mark {
  /** The mark to use once only long transactions are pending. */
  readonly next: (Mark & { readonly since: number }) | undefined
}

/** In milliseconds. When a transaction that ran longer than this ends, the next pass begins at the outbox's start. */
const SHORT_MS = 1_000

/**
 * Returns the mark after a pass, with which the next pass skips dead rows at the start of the outbox. A transaction
 * that blocked vacuum for two minutes at 5,000 events/s left 600,000 such rows, and reading past them took 140 ms a
 * pass.
 *
 * Events get their numbers before their transaction commits. So a pass that continued from the highest number seen
 * would lose the events of transactions that commit later. Those transactions are known: they were running when the
 * number was seen.
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
  const isReady =
    next !== undefined && (now - next.since > SHORT_MS || next.pending.every((xid) => pending.includes(xid)))
  const seen = through === null ? undefined : { queued: through, pending: running, since: now }
  if (isReady) return { queued: next.queued, pending: next.pending, next: seen }
  return { queued, pending, next: next ?? seen }
}
