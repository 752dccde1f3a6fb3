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
    return { admission, work: async ({ apiVersion }) => ({ status: 200, body: pageText(await page(apiVersion)) }) }
  }
}

/** Joins the stored JSON strings of events into the JSON string of a page, without parsing any event. */
function pageText({ data, nextCursor, hasMore }: EventTextsPage): string {
  return `{"data":[${data.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`
}
