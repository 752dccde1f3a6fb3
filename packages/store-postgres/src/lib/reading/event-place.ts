import { type EventPlace, LAST_TIME, uuidFromId } from '@callboard/core/store'
import { LAST_ID } from '../sql/uuid-range.ts'

/** The place where a first page starts: newer than every event. */
const NEWEST = { at: 'infinity', id: LAST_ID } as const

/** The time and the id after which a page starts. */
export function placeOf(after: EventPlace | undefined): { readonly at: string; readonly id: string } {
  if (after === undefined) return NEWEST
  return { at: new Date(Math.min(after.occurredAt, LAST_TIME)).toISOString(), id: uuidFromId('evt', after.id) }
}
