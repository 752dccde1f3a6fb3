import type { Call } from './call.ts'
import type { CallOptions } from './client-options.ts'

/** The query of `GET /v1/events`. */
export interface EventsQuery<Name extends string = string> {
  /** Only events of this type. */
  readonly type?: Name | undefined
  /** The number of events per page, from 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. Without a cursor, the list starts at the newest event. */
  readonly cursor?: string | undefined
}

/** One page of events, newest first. */
export interface EventsPage<Event> {
  readonly data: readonly Event[]
  /** The cursor of the next page; null on the last page. Use the cursor only with the same `type`. */
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

/**
 * Events, newest first. `for await` yields one event at a time, and requests each page only when the loop reaches it.
 */
export interface EventList<Event> {
  [Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined>
  /** Reads a page at a time. */
  pages(): AsyncGenerator<EventsPage<Event>, void, undefined>
  /** Reads one page: the first page, or the page at the query's `cursor`. */
  page(): Promise<EventsPage<Event>>
}

/**
 * Creates a list that sends no request until it is read. Each iteration starts again at the first page, or at the
 * query's `cursor`.
 */
export function createEventList<Event>(call: Call, query: EventsQuery, options: CallOptions = {}): EventList<Event> {
  const page = (cursor = query.cursor): Promise<EventsPage<Event>> =>
    call('GET', `/v1/events${search({ ...query, cursor })}`, options)
  async function* pages(): AsyncGenerator<EventsPage<Event>, void, undefined> {
    for (let cursor = query.cursor; ; ) {
      const current = await page(cursor)
      yield current
      if (current.nextCursor === null) return
      cursor = current.nextCursor
    }
  }
  return {
    page: () => page(),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages())
        for (const event of data) {
          options.signal?.throwIfAborted()
          yield event
        }
    },
  }
}

function search({ type, limit, cursor }: EventsQuery): string {
  const parameters = new URLSearchParams()
  if (type !== undefined) parameters.set('type', type)
  if (limit !== undefined) parameters.set('limit', String(limit))
  if (cursor !== undefined) parameters.set('cursor', cursor)
  return parameters.size === 0 ? '' : `?${parameters}`
}
