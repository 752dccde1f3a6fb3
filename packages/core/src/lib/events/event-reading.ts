import { encodeCursor, type ReadCursor, readCursor, verifyCursor } from '../cursors/cursor-format.ts'
import { PAGE_LIMIT, pageLimitIssue } from '../cursors/page-cursors.ts'
import { isCallboardError } from '../errors.ts'
import type { AccountMode } from '../ports/account-store.ts'
import type { EventPage } from '../ports/event-store.ts'
import type { EventText } from '../ports/stored-event.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import type { Issue } from '../validation/issue.ts'
import { quoted } from '../validation/text-rules.ts'
import { validationFailed } from '../validation/validation.ts'
import type { Formats } from '../versions/formats.ts'

/** Selects a page of events. */
export interface EventsQuery {
  /** Only events of this type. */
  readonly type?: string | undefined
  /** 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page; null or absent for the first page. */
  readonly cursor?: string | null | undefined
}

/**
 * A page of events as JSON texts. Events are stored as JSON texts, so a response can join the texts without parsing
 * them.
 */
export interface EventTextsPage {
  readonly data: readonly string[]
  /** Null on the last page. */
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

/** The account and mode whose events are read, whether personal data is included, and the format version to get. */
interface Reader extends AccountMode {
  readonly personalData: boolean
  readonly apiVersion: string
}

export interface EventReading {
  /** Checks the query as far as possible without knowing the reader; `verify` checks the rest. */
  parse(
    query: EventsQuery,
  ): { readonly ok: true; readonly query: ParsedEventsQuery } | { readonly ok: false; readonly issue: Issue }
  /**
   * Throws `VALIDATION_FAILED` if no event of the type can exist in the account, or if the cursor was issued for
   * another account, mode or filter.
   */
  verify(query: ParsedEventsQuery, reader: Omit<Reader, 'personalData' | 'apiVersion'>): Promise<void>
  /**
   * Renders an event in the reader's version, without personal data that the reader may not see. An event that cannot
   * be converted stays in its own version, and the failure is reported, so that one event cannot make a page
   * unreadable.
   */
  renderEvent(event: EventText, reader: Pick<Reader, 'personalData' | 'apiVersion'>): string
  /** Renders the events of a stored page with {@link EventReading.renderEvent}. */
  render(page: EventPage, query: ParsedEventsQuery, reader: Reader): Promise<EventTextsPage>
}

export interface EventReadingOptions {
  readonly formats: Formats
  readonly keyRing: KeyRing
  readonly onError: (error: unknown) => void
}

export interface ParsedEventsQuery {
  readonly type: string | undefined
  readonly limit: number
  readonly cursor: ReadCursor | undefined
}

/** Creates the functions that read pages of events for the API and for the platform's own calls. */
export function createEventReading({ formats, keyRing, onError }: EventReadingOptions): EventReading {
  const types = new Set(formats.shapes.map(({ type }) => type))
  const renderEvent: EventReading['renderEvent'] = (event, { personalData, apiVersion }) => {
    try {
      return formats.render(event, personalData, apiVersion)
    } catch (error) {
      if (!isCallboardError(error, 'CONVERSION_FAILED')) throw error
      onError(error)
      return formats.stored(event, personalData)
    }
  }
  return {
    renderEvent,
    parse({ type, limit = PAGE_LIMIT.default, cursor }) {
      const isFirst = cursor === undefined || cursor === null
      const read = isFirst ? undefined : readCursor(cursor)
      const issue =
        (type === undefined || types.has(type) ? undefined : unknownType(type)) ??
        pageLimitIssue(limit) ??
        (isFirst || read !== undefined ? undefined : ANOTHER_LIST)
      return issue === undefined ? { ok: true, query: { type, limit, cursor: read } } : { ok: false, issue }
    },
    async verify({ type, cursor }, { accountId, mode }) {
      if (type !== undefined && !formats.knows(type, accountId)) throw validationFailed(unknownType(type))
      if (cursor !== undefined && !(await verifyCursor(cursor, { accountId, mode, type }, keyRing)))
        throw validationFailed(ANOTHER_LIST)
    },
    async render({ events, hasMore }, { type }, reader) {
      const { accountId, mode } = reader
      const last = events.at(-1)
      return {
        data: events.map((event) => renderEvent(event, reader)),
        nextCursor: hasMore && last !== undefined ? await encodeCursor(last, { accountId, mode, type }, keyRing) : null,
        hasMore,
      }
    },
  }
}

/** The problem with a name that is no event type of the account. */
export function unknownType(type: string, path = 'type'): Issue {
  const message = `Unknown event type: ${quoted(type)}. GET /v1/event-types lists the valid ones.`
  return { path, code: 'UNKNOWN', message }
}

const ANOTHER_LIST: Issue = {
  path: 'cursor',
  code: 'FORMAT',
  message: 'cursor must be a nextCursor from this account, sent with the same type.',
}
