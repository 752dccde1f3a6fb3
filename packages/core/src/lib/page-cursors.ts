import { encodePlace, type ListBinding, type Place, readPlace, verifyPlace } from './cursor.ts'
import { CallboardError } from './errors.ts'
import { PAGE_LIMIT } from './event-reading.ts'
import type { KeyRing } from './key-ring.ts'

/** Which page of a list. */
export interface PageQuery {
  /** 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before, of the same list with the same filters. */
  readonly cursor?: string | undefined
}

export interface PageCursors {
  /** What is asked of the store, with a page's cursor read and found genuine. Throws `VALIDATION_FAILED`. */
  open(query: PageQuery, binding: ListBinding): Promise<{ readonly limit: number; readonly place: Place | undefined }>
  /** The cursor of the page that goes on from a place; null: there is none. */
  close(place: Place | undefined, binding: ListBinding): Promise<string | null>
}

/** The cursors of all lists but that of events. */
export function createPageCursors(keyRing: KeyRing): PageCursors {
  return {
    async open({ limit = PAGE_LIMIT.default, cursor }, binding) {
      if (!Number.isInteger(limit) || limit < PAGE_LIMIT.min || limit > PAGE_LIMIT.max)
        throw invalid('limit', `limit must be a whole number from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}.`)
      if (cursor === undefined) return { limit, place: undefined }
      const place = readPlace(cursor)
      if (place === undefined || !(await verifyPlace(place, binding, keyRing)))
        throw invalid('cursor', 'cursor must be the nextCursor of a page of this list, read with the same filters.')
      return { limit, place }
    },
    close: async (place, binding) => (place === undefined ? null : encodePlace(place, binding, keyRing)),
  }
}

function invalid(path: string, message: string): CallboardError {
  return new CallboardError('VALIDATION_FAILED', message, { issues: [{ path, message }] })
}
