import { type EventPosition, uuidFromId } from '@callboard/core/store'

/** The place where a first page starts: newer than every event. */
const NEWEST = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' } as const

/** The time and the id after which a page starts. */
export function positionOf(after: EventPosition | undefined): { readonly at: string; readonly id: string } {
  if (after === undefined) return NEWEST
  return { at: new Date(Math.min(after.occurredAt, LAST_TIME)).toISOString(), id: uuidFromId('evt', after.id) }
}

/** The end of the year 9999. Postgres cannot parse the ISO form of a later time. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
