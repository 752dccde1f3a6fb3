import { woken } from './freed.ts'
import type { Backfill, Lane, Retry } from './lane.ts'
import { changeOf, changing, type LaneChange } from './lane-change.ts'

export interface StartBackfill {
  readonly since: number
  /** No event that was published at `since` or later is at this position or before. */
  readonly after: number
  /** The last position of an event from before the subscription; at least `began`. */
  readonly to: number
  /** The events of the backfill that have no position yet, and that were neither delivered nor are retried. */
  readonly unsequenced: readonly { readonly eventId: string; readonly subject: string }[]
  readonly now: number
}

/**
 * Starts a backfill, or extends it to events from before its `since`. What it has passed is passed again, and left out.
 * Undefined if the present backfill includes all of these events already. Events without a position become retries,
 * which are due now.
 */
export function backfilled(
  lane: Lane,
  retries: ReadonlyMap<string, Retry>,
  { since, after, to, unsequenced, now }: StartBackfill,
): LaneChange | undefined {
  const before = lane.backfill
  const goesOn = before !== undefined && before.state !== 'cancelled' && to <= before.to
  if (goesOn && since >= before.since) return undefined
  const changed = changing(retries)
  for (const { eventId, subject } of unsequenced)
    changed.write({
      eventId,
      attempts: 0,
      dueAt: now,
      suspect: false,
      redacted: false,
      askedAt: undefined,
      resentEpoch: undefined,
      manual: true,
      subject,
      position: undefined,
    })
  // A lease settles its part only if it began at the present place. What is leased now was read with the former `since`.
  const isLeased = before !== undefined && lane.state === 'leased'
  const reached = isLeased ? Math.min(after, before.reached - 1) : after
  const backfill: Backfill = {
    state: 'running',
    since,
    startedAt: now,
    from: Math.min(before?.from ?? reached, reached),
    reached,
    to: Math.max(before?.to ?? to, to),
  }
  return changeOf(woken({ ...lane, backfill }, now), changed)
}

/** The lane after its backfill was ended. What is in flight finishes, and nothing more of it starts. */
export function backfillCancelled(lane: Lane): Lane {
  const { backfill } = lane
  return backfill?.state === 'running' ? { ...lane, backfill: { ...backfill, state: 'cancelled' } } : lane
}

/**
 * The backfill after a lease has gone through a part of it. If somebody started or extended it during the lease, its
 * place stays: what the lease has sent is then passed again, and left out.
 */
export function backfillAdvanced(
  backfill: Backfill | undefined,
  passed: { readonly after: number; readonly through: number } | undefined,
): Backfill | undefined {
  if (backfill?.state !== 'running' || passed?.after !== backfill.reached) return backfill
  return { ...backfill, reached: passed.through, state: passed.through >= backfill.to ? 'done' : 'running' }
}
