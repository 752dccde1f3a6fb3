import type { Engine, FeedQuery, FeedTextsPage } from '@callboard/core/engine'
import { EVENT_STREAM, eventStream, STREAM_HEADERS } from '../event-stream.ts'
import { readFeedQuery } from '../feed-query.ts'
import type { Opening } from '../open-requests.ts'
import { afterAdmission, type Handler } from './handler.ts'

/** `GET /v1/events/feed`: a page, or a stream if the request accepts one. */
export function eventFeed(engine: Engine, { maxOpenMs, keepOpen }: Opening): Handler {
  const { admissions, eventFeed: feed, feedFollowing, hooks } = engine
  return afterAdmission(engine, async (caller, call) => {
    const { headers, method } = call.request
    const isStream = headers.get('accept')?.includes(EVENT_STREAM) === true
    const query = readFeedQuery(call.search)
    const asked = await feed.open(isStream ? continued(query, headers.get('last-event-id')) : query, caller)
    const vary = { vary: 'Accept' }
    if (isStream && method === 'HEAD') return { status: 200, body: null, headers: { ...STREAM_HEADERS, ...vary } }

    const waitMs = method === 'HEAD' ? 0 : Math.min(asked.waitMs, maxOpenMs)
    if (!isStream && waitMs === 0) {
      const [page] = await feed.read([asked])
      if (page === undefined) throw new Error('the store returned no page')
      return { status: 200, body: pageText(await feed.render(page, asked)), headers: vary }
    }

    const open = keepOpen(call.request)
    // An open request should not keep all of `call` in memory.
    const { requestId } = call
    const authorization = headers.get('authorization')
    const recheck = () => admissions.recheck(authorization)
    const follower = { caller, recheck, signal: open.signal }
    try {
      if (!isStream) {
        const body = pageText(await feedFollowing.wait({ ...asked, waitMs }, follower))
        open.end()
        return { status: 200, body, headers: vary }
      }
      const onError = (error: unknown): void => hooks.onError(error, { requestId })
      const body = eventStream(feedFollowing.stream(asked, follower, maxOpenMs), { end: open.end, onError })
      return { status: 200, body, headers: { ...STREAM_HEADERS, ...vary } }
    } catch (error) {
      open.end()
      throw error
    }
  })
}

/** A client that connects again sends the cursor that it got last, to the address that it was given at first. */
function continued(query: FeedQuery, lastEventId: string | null): FeedQuery {
  return lastEventId === null || lastEventId === '' ? query : { ...query, after: lastEventId, since: undefined }
}

/** Joins the stored JSON strings of events into the JSON string of a page, without parsing any event. */
function pageText({ data, nextCursor, hasMore, truncated }: FeedTextsPage): string {
  return `{"data":[${data.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore},"truncated":${truncated}}`
}
