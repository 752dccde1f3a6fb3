import type { Catalog } from './catalog.ts'
import { encodeCursor, type ReadCursor, readCursor, verifyCursor } from './cursor.ts'
import { ERASED_FINGERPRINT } from './erased-fingerprint.ts'
import { CallboardError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'
import type { Mode } from './mode.ts'
import type { EventPage, EventText } from './ports/event-store.ts'
import { redactAgain, splice } from './redact.ts'
import { quoted } from './text-rules.ts'

/** Number of events on a page of `GET /v1/events` (contract, 4.3). */
export const PAGE_LIMIT = { min: 1, max: 100, default: 25 } as const

/** What a reader asks for (contract, 4.3). */
export interface EventsQuery {
  /** Only events of this type. */
  readonly type?: string | undefined
  /** 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** A page of events as JSON texts: they are stored serialised and joined, not parsed. */
export interface EventsPage {
  readonly events: readonly string[]
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

/** Whose events a cursor leads through. */
interface Reader {
  readonly accountId: string
  readonly mode: Mode
  readonly personalData: boolean
}

export interface EventReading {
  /** Checks what can be checked without knowing who asks. Throws `VALIDATION_FAILED`. */
  parse(query: EventsQuery): ParsedEventsQuery
  /** Whether a cursor was made for this reader and filter. Throws `VALIDATION_FAILED` when it was not. */
  verify(query: ParsedEventsQuery, reader: Reader): Promise<void>
  /** Turns a stored page into what the reader may see. */
  render(page: EventPage, query: ParsedEventsQuery, reader: Reader): Promise<EventsPage>
  /** The envelope's text, with or without personal data. */
  renderEvent(event: EventText, personalData: boolean): string
}

export interface ParsedEventsQuery {
  readonly type: string | undefined
  readonly limit: number
  readonly cursor: ReadCursor | undefined
}

/** The rules for reading events, the same for the API, the platform's own calls and deliveries. */
export function createEventReading(catalog: Catalog, keyRing: KeyRing): EventReading {
  const renderEvent = (event: EventText, personalData: boolean): string => {
    if (event.patch !== null && personalData) return splice(event.body, event.patch)
    // Of an erased event nobody sees what counts as personal data now, not even what did not when it was erased.
    if (personalData && event.fingerprint !== ERASED_FINGERPRINT) return event.body
    const type = catalog.get(event.type)
    // A row from before its type's paths changed may hold what counts as personal data now.
    return type === undefined || type.fingerprint === event.fingerprint
      ? event.body
      : redactAgain(event.body, type.personalDataPaths)
  }
  return {
    renderEvent,
    parse({ type, limit = PAGE_LIMIT.default, cursor }) {
      if (type !== undefined && catalog.get(type) === undefined)
        throw invalid('type', `Unknown event type: ${quoted(type)}. GET /v1/event-types lists them.`)
      if (!Number.isInteger(limit) || limit < PAGE_LIMIT.min || limit > PAGE_LIMIT.max) {
        throw invalid('limit', `limit must be a whole number from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}.`)
      }
      if (cursor === undefined) return { type, limit, cursor }
      const read = readCursor(cursor)
      if (read === undefined) throw invalidCursor()
      return { type, limit, cursor: read }
    },
    async verify({ type, cursor }, { accountId, mode }) {
      if (cursor !== undefined && !(await verifyCursor(cursor, { accountId, mode, type }, keyRing)))
        throw invalidCursor()
    },
    async render({ events, hasMore }, { type }, { accountId, mode, personalData }) {
      const last = events.at(-1)
      return {
        events: events.map((event) => renderEvent(event, personalData)),
        nextCursor: hasMore && last !== undefined ? await encodeCursor(last, { accountId, mode, type }, keyRing) : null,
        hasMore,
      }
    },
  }
}

function invalid(path: string, message: string): CallboardError {
  return new CallboardError('VALIDATION_FAILED', message, { issues: [{ path, message }] })
}

function invalidCursor(): CallboardError {
  return invalid('cursor', 'cursor must be the nextCursor of a page of this account, read with the same type.')
}
