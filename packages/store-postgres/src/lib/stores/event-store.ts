import {
  type EventText,
  idFromUuid,
  isId,
  type RequestOf,
  type ResultOf,
  type Store,
  uuidFromId,
} from '@callboard/core/store'
import type { Database, Runner, SqlClient } from '../database/database.ts'
import { publishDrafts } from '../publishing/publish-drafts.ts'
import type { EventPageRow } from '../reading/event-page.ts'
import { placeOf } from '../reading/event-place.ts'
import { searchFor } from '../reading/event-search.ts'
import { type EventTextRow, findEvent } from '../reading/find-event.ts'
import { linesOf, textsOf } from '../reading/lines-of.ts'
import { pageEvents, pageEventsOfType } from '../reading/page-events.ts'
import type { PageReader } from '../reading/page-reader.ts'
import { readFeed } from '../reading/read-feed.ts'

type EventPage = ResultOf<'events', 'pageEvents'>

/** @param announce returns the channel to notify after a publish; null: notify nobody. */
export function createEventStore(
  database: Database,
  reader: PageReader,
  announce: () => string | null,
): Store<SqlClient>['events'] {
  return {
    publishDrafts: (drafts, tx) => publishDrafts(database, drafts, tx, announce()),
    pageEvents: (request) => readPage(request.personalData ? database : reader, request),
    readFeed: (reads) => readFeed(database, reader, reads),
    async find(accountId, mode, id, horizonMs) {
      if (!isId('evt', id)) return undefined
      const [row] = await database.run(findEvent, {
        accountId,
        mode,
        id: uuidFromId('evt', id),
        horizonMs: horizonMs ?? null,
      })
      return row && toEventText(row)
    },
    searchEvents: (request) => searchFor(database, request),
  }
}

/**
 * Reads a page. A page with personal data must be read from the primary, because a replica may still show what was just
 * erased.
 */
export async function readPage(
  runner: Runner,
  { type, after, limit, ...request }: RequestOf<'events', 'pageEvents'>,
): Promise<EventPage> {
  const { at, id } = placeOf(after)
  const page = { ...request, afterAt: at, afterId: id, limit: limit + 1 }
  const [row] =
    type === undefined ? await runner.run(pageEvents, page) : await runner.run(pageEventsOfType, { ...page, type })
  return toPage(row, limit)
}

/**
 * Builds a page from the events that were read. If one more was read than the page holds, that event only shows that
 * another page follows.
 */
export function toPage(row: EventPageRow | undefined, limit: number): EventPage {
  const texts = textsOf(row)
  const occurred = linesOf(row?.occurred)
  const events = texts.slice(0, limit).map((text, index) => {
    return { ...text, occurredAt: Math.round(Number(occurred[index])) }
  })
  return { events, hasMore: texts.length > limit }
}

function toEventText({ id, type, body, patch, fingerprint }: EventTextRow): EventText {
  return { id: idFromUuid('evt', id), type, body, patch, fingerprint }
}
