import { type Call, mayPass } from './call.ts'
import { CallboardApiError } from './callboard-api-error.ts'
import type { Connection } from './connection.ts'
import { type FeedPage, type FeedQuery, type FeedStart, feedPath } from './event-feed.ts'
import { eventStream, type FeedPart, NO_STREAM } from './event-stream.ts'

/** The options of `client.events.follow`. */
export interface FollowOptions<Name extends string = string> extends FeedStart<Name> {
  /**
   * Called with the cursor to continue after, once the loop has finished with the events before it and asks for the
   * next one; also from time to time while there are no events. Save the cursor, and pass it as `after` after a
   * restart. If this returns a promise, the next event waits for it.
   */
  readonly onCursor?: ((cursor: string) => unknown) | undefined
  /**
   * Called when events may be missing before the next one, or may be repeated from it on: `after` was older than the
   * events that are kept, or the platform has restored an older state of its database. If this returns a promise, the
   * next event waits for it.
   */
  readonly onTruncated?: (() => unknown) | undefined
  /** Ends the loop: it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * How long a call waits for events where streams do not get through. The first call does not wait, because the place
 * where it starts would be lost with its response.
 */
const WAIT_SECONDS = 20
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

/**
 * Yields events in the order of the feed, without end. Reads a stream, and connects again whenever it ends. If streams
 * do not get through, it asks for pages that wait for events.
 */
export async function* follow<Event>(
  connection: Connection,
  call: Call,
  { after, since, types, onCursor, onTruncated, signal }: FollowOptions,
): AsyncGenerator<Event, void, undefined> {
  let cursor = after
  let streams = true
  let failures = 0
  for (;;) {
    let retryAfterMs = 0
    try {
      const start = { after: cursor, since, types }
      const parts = streams
        ? eventStream<Event>(connection, feedPath(start), signal)
        : waitingPage<Event>(call, { ...start, wait: cursor === undefined ? 0 : WAIT_SECONDS }, signal)
      failures += 1
      for await (const part of parts) {
        failures = 0
        if (part.truncated) await onTruncated?.()
        for (const event of part.events) {
          yield event
          signal?.throwIfAborted()
        }
        if (part.cursor === undefined) continue
        cursor = part.cursor
        await onCursor?.(cursor)
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error === NO_STREAM) {
        streams = false
        failures = 0
        continue
      }
      const isLimited = error instanceof CallboardApiError && error.statusCode === 429
      if (!isLimited && !(error instanceof CallboardApiError && mayPass(error))) throw error
      failures = Math.max(failures, 1)
      retryAfterMs = (error.retryAfter ?? 0) * 1000
    }
    // The jitter keeps the readers whom one server has lost from coming back at the same time.
    const pauseMs = streams || failures > 0 ? Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS) : 0
    if (pauseMs > 0) await connection.sleep(Math.max(pauseMs * connection.random(), retryAfterMs), signal)
  }
}

async function* waitingPage<Event>(
  call: Call,
  query: FeedQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<FeedPart<Event>, void, undefined> {
  const options = { signal, timeoutMs: 60_000 }
  const { data, nextCursor, truncated } = await call<FeedPage<Event>>('GET', feedPath(query), options)
  yield { events: data, cursor: nextCursor, truncated }
}
