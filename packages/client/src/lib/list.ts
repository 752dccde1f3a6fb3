import type { Call } from './call.ts'
import type { CallOptions } from './client-options.ts'

/** Selects a page of a list. */
export interface ListQuery {
  /** The number of entries per page, from 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. Without a cursor, the list starts at the newest entry. */
  readonly cursor?: string | undefined
}

/** One page of a list, newest first. */
export interface Page<Item> {
  readonly data: readonly Item[]
  /** The cursor of the next page; null on the last page. Use the cursor only with the same filters. */
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

/** A list, newest first. `for await` yields one entry at a time, and requests each page only when the loop reaches it. */
export interface List<Item> {
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined>
  /** Reads a page at a time. */
  pages(): AsyncGenerator<Page<Item>, void, undefined>
  /** Reads one page: the first page, or the page at the query's `cursor`. */
  page(): Promise<Page<Item>>
}

/**
 * Creates a list that sends no request until it is read. Each iteration starts again at the first page, or at the
 * query's `cursor`.
 */
export function createList<Item>(call: Call, path: string, query: ListQuery, options: CallOptions = {}): List<Item> {
  const page = (cursor = query.cursor): Promise<Page<Item>> =>
    call('GET', `${path}${search({ ...query, cursor })}`, options)
  async function* pages(): AsyncGenerator<Page<Item>, void, undefined> {
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
        for (const item of data) {
          options.signal?.throwIfAborted()
          yield item
        }
    },
  }
}

function search(query: object): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return parameters.size === 0 ? '' : `?${parameters}`
}
