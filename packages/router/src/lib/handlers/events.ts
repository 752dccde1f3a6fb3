import { CallboardError, type EventsPage } from '@callboard/core'
import { readEventsQuery } from '../events-query.ts'
import type { Handler, RouterCallboard } from './handler.ts'

/** `GET /v1/events` (contract, 4.3). */
export function events({ admissions }: RouterCallboard): Handler {
  return async (authorization, call) => {
    const { query, issues } = readEventsQuery(call.search)
    const [first] = issues
    if (first !== undefined) {
      const refuse = (): never => {
        throw new CallboardError('VALIDATION_FAILED', first.message, { issues })
      }
      return { admission: await admissions.admit(authorization), work: refuse }
    }
    const { admission, page, problem } = await admissions.admitToEvents(authorization, query)
    return {
      admission,
      work() {
        if (page === undefined) throw problem ?? new Error('admitToEvents gave neither a page nor a problem')
        return { status: 200, body: pageText(page) }
      },
    }
  }
}

/** Events are kept as JSON texts, so a page is made by joining them: nothing is parsed. */
function pageText({ events, nextCursor, hasMore }: EventsPage): string {
  return `{"data":[${events.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`
}
