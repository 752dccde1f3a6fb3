import type { Engine, EventTextsPage } from '@callboard/core/engine'
import { readEventsQuery } from '../events-query.ts'
import { Refusal } from '../problem.ts'
import type { Handler } from './handler.ts'

/** `GET /v1/events`. */
export function events({ admissions }: Engine): Handler {
  return async (authorization, call) => {
    const { query, issues } = readEventsQuery(call.search)
    const [first] = issues
    if (first !== undefined) {
      const refuse = (): never => {
        throw new Refusal({ code: 'VALIDATION_FAILED', message: first.message, issues })
      }
      return { admission: await admissions.admit(authorization), work: refuse }
    }
    const { admission, page } = await admissions.admitToEvents(authorization, query)
    return { admission, work: async () => ({ status: 200, body: pageText(await page()) }) }
  }
}

/** Joins events into a page. They are stored as JSON texts, so nothing is parsed. */
function pageText({ data, nextCursor, hasMore }: EventTextsPage): string {
  return `{"data":[${data.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`
}
