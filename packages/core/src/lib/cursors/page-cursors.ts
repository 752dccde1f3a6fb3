import type { KeyRing } from '../secrets/key-ring.ts'
import type { Issue } from '../validation/issue.ts'
import { validationFailed } from '../validation/validation.ts'
import { encodePlace, type ListBinding, type Place, readPlace, verifyPlace } from './cursor-format.ts'

/** The smallest, the largest and the default `limit` of a page. */
export const PAGE_LIMIT = { min: 1, max: 100, default: 25 } as const

/** Selects a page of a list. */
export interface PageQuery {
  /** 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /**
   * The `nextCursor` of the previous page, read from the same list with the same filters; null or absent for the first
   * page.
   */
  readonly cursor?: string | null | undefined
}

export interface PageCursors {
  /**
   * Returns the limit and the place after which the page starts. Throws `VALIDATION_FAILED` for an invalid limit or a
   * cursor from another list.
   */
  open(query: PageQuery, binding: ListBinding): Promise<{ readonly limit: number; readonly place: Place | undefined }>
  /**
   * Returns the cursor of the page that starts after a place; null when `place` is undefined, because no page follows.
   */
  close(place: Place | undefined, binding: ListBinding): Promise<string | null>
}

/** Creates the functions that read and write the cursors of every list except the one that `GET /v1/events` reads. */
export function createPageCursors(keyRing: KeyRing): PageCursors {
  return {
    async open({ limit = PAGE_LIMIT.default, cursor }, binding) {
      assertPageLimit(limit)
      if (cursor === undefined || cursor === null) return { limit, place: undefined }
      const place = readPlace(cursor)
      if (place === undefined || !(await verifyPlace(place, binding, keyRing))) throw validationFailed(ANOTHER_LIST)
      return { limit, place }
    },
    close: async (place, binding) => (place === undefined ? null : encodePlace(place, binding, keyRing)),
  }
}

/** Throws `VALIDATION_FAILED` for a limit that is not within {@link PAGE_LIMIT}. */
export function assertPageLimit(limit: number): void {
  const issue = pageLimitIssue(limit)
  if (issue !== undefined) throw validationFailed(issue)
}

/** The problem with a page's limit; undefined when the limit is within {@link PAGE_LIMIT}. */
export function pageLimitIssue(limit: number): Issue | undefined {
  const { min, max } = PAGE_LIMIT
  if (Number.isInteger(limit) && limit >= min && limit <= max) return undefined
  return { path: 'limit', code: 'RANGE', message: `limit must be a whole number from ${min} to ${max}.` }
}

const ANOTHER_LIST: Issue = {
  path: 'cursor',
  code: 'FORMAT',
  message: 'cursor must be a nextCursor from this list, sent with the same filters.',
}
