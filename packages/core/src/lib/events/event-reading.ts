import type { Mode } from '../accounts/mode.ts'
import { encodeCursor, type ReadCursor, readCursor, verifyCursor } from '../cursors/cursor.ts'
import { PAGE_LIMIT, pageLimitIssue } from '../cursors/page-cursors.ts'
import type { Issue } from '../issue.ts'
import { fingerprintOfPaths, isErased } from '../personal-data/erased-fingerprint.ts'
import { redactAgain, splice } from '../personal-data/redact.ts'
import type { EventPage, EventText } from '../ports/event-store.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { quoted } from '../text-rules.ts'
import { validationFailed } from '../validation.ts'
import type { Catalog } from './catalog.ts'

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

/** The account and mode whose events are read, and whether personal data is included. */
interface Reader {
  readonly accountId: string
  readonly mode: Mode
  readonly personalData: boolean
}

export interface EventReading {
  /** Checks the query as far as possible without knowing the reader; `verify` checks the rest. */
  parse(
    query: EventsQuery,
  ): { readonly ok: true; readonly query: ParsedEventsQuery } | { readonly ok: false; readonly issue: Issue }
  /** Throws `VALIDATION_FAILED` unless the cursor was issued for this reader and filter. */
  verify(query: ParsedEventsQuery, reader: Reader): Promise<void>
  /** Renders a stored page, without personal data that the reader may not see. */
  render(page: EventPage, query: ParsedEventsQuery, reader: Reader): Promise<EventTextsPage>
  /** The envelope's text, with or without personal data. */
  renderEvent(event: EventText, personalData: boolean): string
}

export interface ParsedEventsQuery {
  readonly type: string | undefined
  readonly limit: number
  readonly cursor: ReadCursor | undefined
}

/** Creates the functions that read events for the API, for the platform's own calls and for deliveries. */
export function createEventReading(catalog: Catalog, keyRing: KeyRing): EventReading {
  const renderEvent = (event: EventText, personalData: boolean): string => {
    if (event.patch !== null && personalData) return splice(event.body, event.patch)
    // An erased event is redacted for every reader, because its type may have gained personal-data paths since the
    // event was stored.
    if (personalData && !isErased(event.fingerprint)) return event.body
    const type = catalog.get(event.type)
    // An event stored before its type's paths changed may contain data that has become personal since.
    return type === undefined || type.fingerprint === fingerprintOfPaths(event.fingerprint)
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
  const message = `Unknown event type: ${quoted(type)}. GET /v1/event-types lists the valid ones.`
  return { path: 'type', code: 'UNKNOWN', message }
}

const ANOTHER_LIST: Issue = {
  path: 'cursor',
  code: 'FORMAT',
  message: 'cursor must be a nextCursor from this account, sent with the same type.',
}
