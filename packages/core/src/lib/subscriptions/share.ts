import type { CallboardError } from '../errors.ts'
import { validationFailed } from '../validation.ts'

/** Places of the feed, in (after, through], whose events of a type are a subscription's. */
export interface Stretch {
  readonly type: string
  readonly after: number
  /** Undefined: still so. */
  readonly through: number | undefined
}

/** Ended stretches that are kept for lists alone; each is one more look-up for a lease. */
const MOST_ENDED = 100
/**
 * Ended stretches behind which something waits, at most. A thousand changes of fifty types were 100,000: 0.3 s of each lease of that
 * lane, in a statement that leases those of others too.
 */
const MOST_WAITING = 500

export interface ShareChange {
  readonly eventTypes: readonly string[]
  /** The feed's head: what was placed up to here goes by the types before the change, the rest by those after it. */
  readonly head: number
  /** Up to here everything is settled. */
  readonly cursor: number
}

/**
 * A subscription's share of the feed once its event types are others. What waits of a type that is named no more is still
 * delivered, and what was placed before a type was named is not: both are told by the place alone, so nothing that waits has to be moved.
 *
 * @throws CallboardError `VALIDATION_FAILED` while too much of earlier changes waits.
 */
export function changeShare(share: readonly Stretch[], { eventTypes, head, cursor }: ShareChange): Stretch[] {
  const changed = share.map((stretch) =>
    stretch.through === undefined && !eventTypes.includes(stretch.type) ? { ...stretch, through: head } : stretch,
  )
  for (const type of eventTypes) {
    if (changed.some((stretch) => stretch.type === type && stretch.through === undefined)) continue
    const paused = changed.findIndex((stretch) => stretch.type === type && stretch.through === head)
    if (paused === -1) changed.push({ type, after: head, through: undefined })
    else changed.splice(paused, 1, { type, after: changed[paused]?.after ?? head, through: undefined })
  }
  const waiting = changed.filter(({ after, through = 0 }) => through > Math.max(after, cursor))
  if (waiting.length > MOST_WAITING) throw tooOften()
  const settled = changed
    .flatMap(({ through }) => (through !== undefined && through <= cursor ? [through] : []))
    .sort((a, b) => b - a)
  const oldest = settled[MOST_ENDED - 1] ?? 0
  return changed.filter(({ after, through }) => through === undefined || (through > after && through >= oldest))
}

function tooOften(): CallboardError {
  const message = 'The event types were changed too often for what still waits. Change them again once that is sent.'
  return validationFailed({ path: 'eventTypes', code: 'CONFLICT', message })
}

/** Whether an event is in a share; without a place it is behind all that have one. */
export function isInShare(share: readonly Stretch[], type: string, position: number | undefined): boolean {
  return share.some(
    (stretch) =>
      stretch.type === type &&
      (position === undefined
        ? stretch.through === undefined
        : position > stretch.after && position <= (stretch.through ?? position)),
  )
}
