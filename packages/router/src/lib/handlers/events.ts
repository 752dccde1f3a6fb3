import type { Engine, EventTextsPage } from '@callboard/core/engine'
import { assertQuery, readQuery, wholeNumber } from '../query.ts'
import type { Handler } from './handler.ts'

/** `GET /v1/events`. */
export function events({ admissions }: Engine): Handler {
  return async (authorization, call) => {
    const { values, issues } = readQuery(call.search, ['type', 'limit', 'cursor'])
    const { type, limit, cursor } = values
    // With such issues, no page is read, but the request counts towards the rate limits like any other.
    const { admission, page } =
      issues.length > 0
        ? { admission: await admissions.admit(authorization), page: undefined }
        : await admissions.admitToEvents(authorization, { type, limit: wholeNumber(limit), cursor })
    return {
      admission,
      async work({ apiVersion }) {
        assertQuery({ issues })
        if (page === undefined) throw new Error('no page was read')
        return { status: 200, body: pageText(await page(apiVersion)) }
      },
    }
  }
}

/** Joins the stored JSON strings of events into the JSON string of a page, without parsing any event. */
function pageText({ data, nextCursor, hasMore }: EventTextsPage): string {
  return `{"data":[${data.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`
}
