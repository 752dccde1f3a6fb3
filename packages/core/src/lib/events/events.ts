import { type OwnedRef, type Owner, readOwner, readRef } from '../accounts/owner.ts'
import { CallboardError } from '../errors.ts'
import { isId } from '../id.ts'
import { keySeesPersonalData } from '../personal-data/who-may-see.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { EventStore } from '../ports/event-store.ts'
import { validationFailed } from '../validation/validation.ts'
import type { Formats } from '../versions/formats.ts'
import type { Envelope } from './envelope.ts'
import type { EventReading, EventsQuery, EventTextsPage } from './event-reading.ts'
import type { EventSearchQuery, FoundEventsPage } from './event-search.ts'

/** How to read events. */
export interface Sight {
  /** Whether to include personal data; false by default. */
  readonly personalData?: boolean | undefined
  /**
   * The format version to read events in; the current version by default. If the version is not served, the events are
   * in the version that a key pinned to it gets.
   */
  readonly apiVersion?: string | undefined
}

/** A page of events, newest first. Each event has the same fields as in `GET /v1/events`. */
export interface EventsPage {
  readonly data: readonly Envelope[]
  /** Null on the last page. */
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

/** Reads the events of an account, for the platform's own use. */
export interface Events {
  /** Reads the page that `GET /v1/events` returns. Throws `VALIDATION_FAILED`. */
  page(query: Owner & Sight & EventsQuery): Promise<EventsPage>
  /** Reads one event; undefined when it does not exist. Throws `CONVERSION_FAILED`. */
  find(event: OwnedRef & Sight): Promise<Envelope | undefined>
  /** Finds events and how they were delivered, newest first. Throws `VALIDATION_FAILED`. */
  search(query: Owner & EventSearchQuery): Promise<FoundEventsPage>
}

/** Like {@link Events}, but returns each event as JSON text, byte for byte as it is delivered. */
export interface EventTexts {
  /** Like {@link Events.page}. */
  page(query: Owner & Sight & EventsQuery): Promise<EventTextsPage>
  /** Like {@link Events.find}. */
  find(event: OwnedRef & Sight): Promise<string | undefined>
  /** Reads one event as the key sees it in the list of events. Throws `NOT_FOUND` for an event that the list lacks. */
  read(caller: Caller, id: string): Promise<string>
}

export function createEventTexts(
  store: Pick<EventStore<unknown>, 'pageEvents' | 'find'>,
  reading: EventReading,
  formats: Formats,
  horizonMs: number,
): EventTexts {
  return {
    async page({ personalData = false, apiVersion = formats.current, ...query }) {
      const reader = { ...readOwner(query), personalData, apiVersion }
      const parsed = reading.parse(query)
      if (!parsed.ok) throw validationFailed(parsed.issue)
      await reading.verify(parsed.query, reader)
      const { type, cursor, limit } = parsed.query
      const { accountId, mode } = reader
      const page = await store.pageEvents({
        accountId,
        mode,
        personalData,
        type,
        after: cursor?.place,
        limit,
        horizonMs,
      })
      return reading.render(page, parsed.query, reader)
    },
    async find({ personalData = false, apiVersion = formats.current, ...ref }) {
      const { accountId, mode, id } = readRef(ref)
      const event = await store.find(accountId, mode, id)
      return event && formats.render(event, personalData, apiVersion)
    },
    async read({ account, mode, scopes, apiVersion }, id) {
      const event = isId('evt', id) ? await store.find(account.id, mode, id, horizonMs) : undefined
      if (event === undefined) throw new CallboardError('NOT_FOUND', 'There is no such event.')
      return reading.renderEvent(event, { personalData: keySeesPersonalData(scopes), apiVersion })
    },
  }
}

export function createEvents(texts: EventTexts, search: Events['search']): Events {
  return {
    search,
    async page(query) {
      const { data, ...rest } = await texts.page(query)
      return { data: data.map((text) => JSON.parse(text)), ...rest }
    },
    async find(event) {
      const text = await texts.find(event)
      return text === undefined ? undefined : JSON.parse(text)
    },
  }
}
