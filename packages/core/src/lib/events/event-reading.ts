import type { Mode } from '../accounts/mode.ts'
import { encodeCursor, type ReadCursor, readCursor, verifyCursor } from '../cursors/cursor.ts'
import { PAGE_LIMIT, pageLimitIssue } from '../cursors/page-cursors.ts'
import type { Issue } from '../issue.ts'
import { ERASED_FINGERPRINT } from '../personal-data/erased-fingerprint.ts'
import { redactAgain, splice } from '../personal-data/redact.ts'
import type { EventPage, EventText } from '../ports/event-store.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { quoted } from '../text-rules.ts'
import { validationFailed } from '../validation.ts'
import type { Catalog } from './catalog.ts'

/** What a reader asks for (contract, 4.3). */
export interface EventsQuery {
  /** Only events of this type. */
  readonly type?: string | undefined
  /** 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before; null and none are the first page. */
  readonly cursor?: string | null | undefined
}

/** A page of events as JSON texts: they are stored serialised and joined, not parsed. */
export interface EventTextsPage {
  readonly data: readonly string[]
  /** Null: this is the last page. */
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
  /** Checks what can be checked without knowing who asks. */
  parse(
    query: EventsQuery,
  ): { readonly ok: true; readonly query: ParsedEventsQuery } | { readonly ok: false; readonly issue: Issue }
  /** Whether a cursor was made for this reader and filter. Throws `VALIDATION_FAILED` when it was not. */
  verify(query: ParsedEventsQuery, reader: Reader): Promise<void>
  /** Turns a stored page into what the reader may see. */
  render(page: EventPage, query: ParsedEventsQuery, reader: Reader): Promise<EventTextsPage>
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
      const isFirst = cursor === undefined || cursor === null
      const read = isFirst ? undefined : readCursor(cursor)
      const issue =
        typeIssue(catalog, type) ?? pageLimitIssue(limit) ?? (isFirst || read !== undefined ? undefined : ANOTHER_LIST)
      return issue === undefined ? { ok: true, query: { type, limit, cursor: read } } : { ok: false, issue }
    },
    async verify({ type, cursor }, { accountId, mode }) {
      if (cursor !== undefined && !(await verifyCursor(cursor, { accountId, mode, type }, keyRing)))
        throw validationFailed(ANOTHER_LIST)
    },
    async render({ events, hasMore }, { type }, { accountId, mode, personalData }) {
      const last = events.at(-1)
      return {
        data: events.map((event) => renderEvent(event, personalData)),
        nextCursor: hasMore && last !== undefined ? await encodeCursor(last, { accountId, mode, type }, keyRing) : null,
        hasMore,
      }
    },
  }
}

function typeIssue(catalog: Catalog, type: string | undefined): Issue | undefined {
  if (type === undefined || catalog.get(type) !== undefined) return undefined
  const message = `Unknown event type: ${quoted(type)}. GET /v1/event-types lists them.`
  return { path: 'type', code: 'UNKNOWN', message }
}

const ANOTHER_LIST: Issue = {
  path: 'cursor',
  code: 'FORMAT',
  message: 'cursor must be the nextCursor of a page of this account, read with the same type.',
}
