import type { CallboardError } from '../errors.ts'
import { validationFailed } from '../validation.ts'

/** The feed positions, in (after, through], at which a subscription receives events of one type. */
export interface Stretch {
  readonly type: string
  readonly after: number
  /** Undefined while the subscription includes the type. */
  readonly through: number | undefined
}

/** Settled stretches to keep, which only lists of deliveries need; each costs every lease one more look-up. */
const MOST_ENDED = 100
/**
 * Ended stretches with pending deliveries, at most. A thousand changes of fifty types made 100,000 of them, and every
 * lease of that lane took 0.3 s in a statement that also leases other lanes.
 */
const MOST_WAITING = 500

export interface ShareChange {
  readonly eventTypes: readonly string[]
  /** The feed's head. Events sequenced up to here follow the former types; later ones follow the new types. */
  readonly head: number
  /** Everything up to this position is settled. */
  readonly cursor: number
}

/**
 * A subscription's share of the feed after its event types change. Pending events of a dropped type are still
 * delivered, and events sequenced before a type was added are not. Positions alone decide both, so no pending delivery
 * is moved.
 *
 * @throws CallboardError `VALIDATION_FAILED` while deliveries from too many earlier changes are pending.
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
  const message =
    'The event types were changed too often. Wait until the pending deliveries are sent, then change them.'
  return validationFailed({ path: 'eventTypes', code: 'CONFLICT', message })
}

/** Whether an event belongs to a share. An event without a position comes after all that have one. */
export function isInShare(share: readonly Stretch[], type: string, position: number | undefined): boolean {
  return share.some(
    (stretch) =>
      stretch.type === type &&
      (position === undefined
        ? stretch.through === undefined
        : position > stretch.after && position <= (stretch.through ?? position)),
  )
}
