import type { CallboardError } from '../errors.ts'
import { validationFailed } from '../validation.ts'

/**
 * A range of feed positions in which a subscription receives the events of one type: after `after`, up to and including
 * `through`.
 */
export interface Stretch {
  readonly type: string
  readonly after: number
  /** Undefined while the subscription still includes the type, because the stretch has no end yet. */
  readonly through: number | undefined
}

/**
 * How many ended stretches without pending deliveries to keep. They serve only lists of deliveries, and each of them
 * costs every lease one more lookup.
 */
const MOST_ENDED = 100
/**
 * How many ended stretches with pending deliveries a subscription can have. With 100,000 of them, each lease of the
 * lane took 0.3 s and held up the other lanes that the same statement leased.
 */
const MOST_WAITING = 500

export interface ShareChange {
  readonly eventTypes: readonly string[]
  /** The head of the feed. The old types apply to events up to this position, the new types to later events. */
  readonly head: number
  /** Every delivery up to this position has ended or is waiting as a retry. */
  readonly cursor: number
}

/**
 * Returns a subscription's share of the feed, a list of stretches, after its event types change. Pending events of a
 * dropped type are still delivered, and events of an added type only if they are sequenced after the change. No pending
 * delivery needs an update, because positions alone decide both cases.
 *
 * @throws CallboardError `VALIDATION_FAILED` if more than `MOST_WAITING` ended stretches would have pending deliveries.
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

/** Whether an event belongs to a share. An event without a position counts as later than every event that has one. */
export function isInShare(share: readonly Stretch[], type: string, position: number | undefined): boolean {
  return share.some(
    (stretch) =>
      stretch.type === type &&
      (position === undefined
        ? stretch.through === undefined
        : position > stretch.after && position <= (stretch.through ?? position)),
  )
}
