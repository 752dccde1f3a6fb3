/** Where in the feed to start, and which of its events to read. */
export interface FeedStart<Name extends string = string> {
  /** The cursor to continue after. Without `after` and `since`, the feed starts now. */
  readonly after?: string | undefined
  /** The time to start at, if there is no `after`: ISO 8601. The first events may be a little older. */
  readonly since?: string | undefined
  /** Only events of these types; all types by default. A cursor can only be used with the same types. */
  readonly types?: readonly Name[] | undefined
}

/** The query of `GET /v1/events/feed`. */
export interface FeedQuery<Name extends string = string> extends FeedStart<Name> {
  /** The most events to return, from 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /** How many seconds to wait for an event if there is none yet, from 0 to 30; 0 by default. */
  readonly wait?: number | undefined
}

/** A page of the feed, oldest event first. */
export interface FeedPage<Event> {
  readonly data: readonly Event[]
  /** The `after` of the next page. Save it once you have handled `data`. */
  readonly nextCursor: string
  /** Whether more events are there already. */
  readonly hasMore: boolean
  /** Whether events may be missing before this page, and may be repeated in it. */
  readonly truncated: boolean
}

/** The path of a page or of a stream. */
export function feedPath({ after, since, types, limit, wait }: FeedQuery): string {
  const parameters = new URLSearchParams()
  if (after !== undefined) parameters.set('after', after)
  else if (since !== undefined) parameters.set('since', since)
  if (types !== undefined) parameters.set('types', types.join(','))
  if (limit !== undefined) parameters.set('limit', String(limit))
  if (wait !== undefined) parameters.set('wait', String(wait))
  return parameters.size === 0 ? '/v1/events/feed' : `/v1/events/feed?${parameters}`
}
