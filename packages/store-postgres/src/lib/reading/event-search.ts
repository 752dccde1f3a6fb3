import {
  type EventPlace,
  type FoundEvent,
  idFromUuid,
  isId,
  type RequestOf,
  type ResultOf,
  uuidFromId,
} from '@callboard/core/store'
import type { Database } from '../database/database.ts'
import { dateOf } from '../sql/row-values.ts'
import { FIRST_ID } from '../sql/uuid-range.ts'
import { placeOf } from './event-place.ts'
import {
  type EventSearchParameters,
  type FailingEventRow,
  type FilterParameters,
  type FoundEventRow,
  SCANNED,
  type ScannedEventRow,
  scanEventsOfSubject,
  scanFailingEvents,
  searchEventById,
  searchEvents,
  searchEventsOfSubject,
  searchEventsOfType,
  searchFailingEvents,
} from './search-events.ts'

type EventSearch = RequestOf<'events', 'searchEvents'>
type FoundEvents = ResultOf<'events', 'searchEvents'>

export async function searchFor(database: Database, request: EventSearch): Promise<FoundEvents> {
  const { id, limit } = request
  if (id !== undefined && !isId('evt', id)) return { events: [], next: undefined }
  const asked = toParameters(request)
  const type = request.type ?? null
  if (request.failing && id === undefined)
    return searchFailing(database, { ...asked, type, ...partsOf(request.subject) }, limit)
  if (id !== undefined) {
    const found = await database.run(searchEventById, { ...asked, type, id: uuidFromId('evt', id) })
    return toPage(request.failing ? found.filter(isFailing) : found, limit)
  }
  const { subject } = request
  if (subject !== undefined && type === null && !subject.includes(' '))
    return toPage(await database.run(searchEventsOfSubject, { ...asked, subject }), limit)
  if (subject !== undefined) {
    const scanned = await database.run(scanEventsOfSubject, { ...asked, type, ...partsOf(subject) })
    return toShortPage(scanned, limit, endOf(scanned), () => true)
  }
  if (type === null) return toPage(await database.run(searchEvents, asked), limit)
  return toPage(await database.run(searchEventsOfType, { ...asked, type }), limit)
}

/** The parameters ask for one event more than the page holds, which shows whether another page follows. */
function toParameters({ accountId, mode, from, to, after, limit, horizonMs }: EventSearch): EventSearchParameters {
  const isCut = to !== undefined && (after === undefined || to.getTime() <= after.occurredAt)
  const { at, id } = isCut ? { at: to.toISOString(), id: FIRST_ID } : placeOf(after)
  const fromAt = from?.toISOString() ?? '-infinity'
  return { accountId, mode, beforeAt: at, beforeId: id, fromAt, limit: limit + 1, horizonMs }
}

/** A subject as people write it: an id, or a type and an id with a space between them. */
function partsOf(subject: string | undefined): Omit<FilterParameters, 'type'> {
  const space = subject?.indexOf(' ') ?? -1
  if (subject === undefined || space === -1) return { subject: subject ?? null, subjectType: null, subjectId: null }
  return { subject, subjectType: subject.slice(0, space), subjectId: subject.slice(space + 1) }
}

async function searchFailing(
  database: Database,
  parameters: EventSearchParameters & FilterParameters,
  limit: number,
): Promise<FoundEvents> {
  const found = await database.run(searchFailingEvents, parameters)
  if (!found[0]?.overflowing) return toShortPage(found, limit, undefined, ({ failing }) => failing)
  const scanned = await database.run(scanFailingEvents, parameters)
  return toShortPage(scanned, limit, endOf(scanned), ({ failing }) => failing)
}

/** The place at which a scan stopped, if more events may follow. */
function endOf([first]: readonly ScannedEventRow[]): EventPlace | undefined {
  const { looked_at: lookedAt = 0, last_at: at = null, last_id: last = null } = first ?? {}
  return lookedAt < SCANNED || at === null || last === null
    ? undefined
    : { occurredAt: Math.round(at), id: idFromUuid('evt', last) }
}

/**
 * @param end the place at which the search stopped, if more events may follow. A page that is not full ends there.
 */
function toShortPage(
  rows: readonly FailingEventRow[],
  limit: number,
  end: EventPlace | undefined,
  isShown: (row: FailingEventRow) => boolean,
): FoundEvents {
  const found = rows.flatMap((row) => (row.id === null ? [] : [row]))
  const { next } = toPage(found, limit)
  const events = found.slice(0, limit).flatMap((row) => (isShown(row) ? [toEvent(row)] : []))
  return { events, next: next ?? end }
}

function toPage(rows: readonly FoundEventRow[], limit: number): FoundEvents {
  const events = rows.slice(0, limit).map(toEvent)
  const last = rows.length > limit ? events.at(-1) : undefined
  return { events, next: last && { occurredAt: last.occurredAt.getTime(), id: last.id } }
}

function isFailing({ deliveries }: FoundEventRow): boolean {
  return Object.keys(deliveries ?? {}).some((state) => state !== 'pending' && state !== 'delivered')
}

function toEvent(row: FoundEventRow): FoundEvent {
  return {
    id: idFromUuid('evt', row.id),
    type: row.type,
    occurredAt: dateOf(row.occurred_at),
    subject: { type: row.subject_type, id: row.subject_id, sequence: row.sequence },
    deliveries: row.deliveries ?? {},
    due: row.due,
    more: row.more,
  }
}
