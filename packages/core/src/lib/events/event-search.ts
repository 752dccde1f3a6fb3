import { type Owner, readOwner } from '../accounts/owner.ts'
import type { PageCursors } from '../cursors/page-cursors.ts'
import { idFromUuid, isId, uuidFromId } from '../id.ts'
import type { EventStore, FoundEvent } from '../ports/event-store.ts'
import { assertText } from '../validation/text-rules.ts'
import { assertDate, validationFailed } from '../validation/validation.ts'
import type { EventReading, EventsQuery } from './event-reading.ts'

/** Selects events; by default, all events of the last 30 days (`eventHorizonMs`). */
export interface EventSearchQuery extends EventsQuery {
  /**
   * The id of an event, the id of a subject, or the type and the id of a subject with a space between them; 1 to 200
   * characters.
   */
  readonly search?: string | undefined
  /** Only events that occurred at this time or later. */
  readonly from?: Date | undefined
  /** Only events that occurred before this time. */
  readonly to?: Date | undefined
  /**
   * Only events with a delivery that is retrying or has ended without success; false by default. A delivery that was
   * never attempted does not count here if it was ended by `skipToNow` or by disabling its subscription.
   */
  readonly failing?: boolean | undefined
}

/** A page of events with the states of their deliveries. A page shorter than the limit is not necessarily the last. */
export interface FoundEventsPage {
  readonly data: readonly FoundEvent[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

const SEARCH_LENGTH = { min: 1, max: 200 }

export function createEventSearch(
  store: Pick<EventStore<unknown>, 'searchEvents'>,
  reading: Pick<EventReading, 'parse'>,
  cursors: PageCursors,
  horizonMs: number,
): (query: Owner & EventSearchQuery) => Promise<FoundEventsPage> {
  return async ({ type, search, from, to, failing = false, ...page }) => {
    const { accountId, mode } = readOwner(page)
    const known = reading.parse({ type })
    if (!known.ok) throw validationFailed(known.issue)
    if (search !== undefined) assertText('search', search, SEARCH_LENGTH)
    for (const [path, time] of Object.entries({ from, to })) if (time !== undefined) assertDate(path, time)
    const times = [from?.toISOString() ?? null, to?.toISOString() ?? null]
    const binding = [accountId, mode, 'event search', type ?? null, search ?? null, ...times, String(failing)]
    const { limit, place } = await cursors.open(page, binding)
    const after = place && { occurredAt: place.number, id: idFromUuid('evt', place.uuid) }
    const isEvent = search !== undefined && isId('evt', search)
    const [id, subject] = isEvent ? [search, undefined] : [undefined, search]
    const found = await store.searchEvents({
      accountId,
      mode,
      type,
      id,
      subject,
      from,
      to,
      failing,
      after,
      limit,
      horizonMs,
    })
    const next = found.next && { number: found.next.occurredAt, uuid: uuidFromId('evt', found.next.id) }
    return { data: found.events, nextCursor: await cursors.close(next, binding) }
  }
}
