import type { Call } from './call.ts'
import type { CallOptions } from './client-options.ts'

/** The query of `GET /v1/events` (contract, 4.3). */
export interface EventsQuery<Name extends string = string> {
  /** Only events of this type. */
  readonly type?: Name | undefined
  /** Events of a page, 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /** `nextCursor` of a page: where to go on. From the newest event by default. */
  readonly cursor?: string | undefined
}

/** One page of events, newest first. */
export interface EventsPage<Event> {
  readonly data: readonly Event[]
  /** Where the next page begins; null on the last one. Keep it with the same `type`: to another it is no cursor. */
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

/** Events, newest first: one by one by `for await`, which asks for the next page when it gets there. */
export interface EventList<Event> {
  [Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined>
  /** A page at a time. */
  pages(): AsyncGenerator<EventsPage<Event>, void, undefined>
  /** One page: the first, or the one of the query's `cursor`. */
  page(): Promise<EventsPage<Event>>
}

/** Asks for nothing until it is read; each reading begins anew. */
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
