import type { Engine, FeedTextsPage } from '@callboard/core/engine'
import { readFeedQuery } from '../feed-query.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/events/feed`. */
export function eventFeed(engine: Engine): Handler {
  const { eventFeed: feed } = engine
  return afterAdmission(engine, async (caller, call) => {
    const open = await feed.open(readFeedQuery(call.search), caller)
    const [page] = await feed.read([open])
    if (page === undefined) throw new Error('the store returned no page')
    return { status: 200, body: pageText(await feed.render(page, open)) }
  })
}

/** Joins the stored JSON strings of events into the JSON string of a page, without parsing any event. */
function pageText({ data, nextCursor, hasMore, truncated }: FeedTextsPage): string {
  return `{"data":[${data.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore},"truncated":${truncated}}`
}
