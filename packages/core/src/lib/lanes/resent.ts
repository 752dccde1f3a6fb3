import type { Lane, Retries } from './lane.ts'
import { changeOf, changing, type LaneChange } from './lane-change.ts'

export interface Resend {
  readonly eventId: string
  readonly subject: string
  readonly position: number | undefined
  /** Whether the event is one of the subscription's that was never attempted and has no retry. */
  readonly isPending: boolean
  /** Whether the delivery goes before all others. A range of resent deliveries does not, because it may be long. */
  readonly first: boolean
  readonly now: number
}

/** `scheduled`: it had ended. `hastened`: it was retrying. `pending`: it is due anyway, or waits for its subject. */
export type ResentOutcome = 'scheduled' | 'hastened' | 'pending'

/**
 * Makes a delivery due now, even if the lane is paused. During a lease the retry keeps the epoch, so that a failure of
 * the attempt in flight does not delay it.
 */
export function resent(
  lane: Lane,
  retries: Retries,
  { eventId, subject, position, isPending, first, now }: Resend,
): LaneChange & { readonly outcome: ResentOutcome } {
  const retry = retries.get(eventId)
  const isLeased = lane.state === 'leased'
  const changed = changing(retries)
  const asked = {
    dueAt: now,
    askedAt: retry?.askedAt ?? (first ? now : undefined),
    resentEpoch: isLeased ? lane.epoch : undefined,
  }
  const outcome =
    retry === undefined ? (isPending ? 'pending' : 'scheduled') : retry.dueAt === undefined ? 'pending' : 'hastened'
  if (outcome === 'hastened' && retry !== undefined) changed.write({ ...retry, ...asked })
  if (outcome === 'scheduled')
    changed.write({ eventId, attempts: 0, suspect: false, redacted: false, manual: true, subject, position, ...asked })
  const wakes = outcome !== 'pending' || (lane.state === 'paused' && isPending)
  return {
    outcome,
    ...changeOf(wakes ? { ...lane, ...(isLeased ? { nudged: true } : { wakeAt: now }) } : lane, changed),
  }
}
