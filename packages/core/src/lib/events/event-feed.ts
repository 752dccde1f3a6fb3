import type { ListBinding } from '../cursors/cursor-format.ts'
import type { FeedCursors } from '../cursors/feed-cursors.ts'
import { PAGE_LIMIT, pageLimitIssue } from '../cursors/page-cursors.ts'
import { keySeesPersonalData } from '../personal-data/who-may-see.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { FeedPage, FeedPlace, FeedRead } from '../ports/feed-page.ts'
import { EVENT_TYPES_COUNT } from '../subscriptions/subscription-rules.ts'
import { readIsoTime } from '../validation/iso-time.ts'
import type { Issue } from '../validation/issue.ts'
import { validationFailed } from '../validation/validation.ts'
import type { Formats } from '../versions/formats.ts'
import { type EventReading, unknownType } from './event-reading.ts'

/** The longest `wait` of a request for the feed, in seconds. */
export const FEED_WAIT_SECONDS = 30

/** The query of `GET /v1/events/feed`. */
export interface FeedQuery {
  /** Only events of these types. */
  readonly types?: readonly string[] | undefined
  /** The `nextCursor` of the previous page. Without it and `since`, the feed starts now. */
  readonly after?: string | undefined
  /** ISO 8601 with its offset from UTC. */
  readonly since?: string | undefined
  /** 1 to 100; 25 by default. */
  readonly limit?: number | undefined
  /** How many seconds to wait for an event, 0 to 30; 0 by default. */
  readonly wait?: number | undefined
}

/** A checked request for the feed. */
export interface OpenFeed {
  readonly read: FeedRead
  readonly binding: ListBinding
  readonly apiVersion: string
  readonly waitMs: number
}

/** A page of the feed as JSON texts, oldest first. */
export interface FeedTextsPage {
  readonly data: readonly string[]
  readonly nextCursor: string
  readonly hasMore: boolean
  readonly truncated: boolean
}

/** Reads the feed for callers of the API. */
export interface EventFeed {
  /** Throws `VALIDATION_FAILED`, for example for a cursor of another account, mode or set of types. */
  open(query: FeedQuery, caller: Caller): Promise<OpenFeed>
  /** Reads the pages of several callers at once. */
  read(feeds: readonly OpenFeed[]): Promise<FeedPage[]>
  /** Renders a page in the caller's version, without personal data that the caller may not see. */
  render(page: FeedPage, feed: OpenFeed): Promise<FeedTextsPage>
  /** The cursor with which the caller continues after a place. */
  cursorAt(place: FeedPlace, feed: OpenFeed): Promise<string>
}

export interface EventFeedOptions {
  readonly store: Pick<EventStore<unknown>, 'readFeed'>
  readonly reading: Pick<EventReading, 'renderEvent'>
  readonly cursors: FeedCursors
  readonly formats: Formats
  readonly horizonMs: number
}

export function createEventFeed({ store, reading, cursors, formats, horizonMs }: EventFeedOptions): EventFeed {
  const cursorAt: EventFeed['cursorAt'] = (place, { binding }) => cursors.seal(place, binding)

  return {
    cursorAt,
    read: (feeds) => store.readFeed(feeds.map(({ read }) => read)),
    async open({ types, after, since, limit = PAGE_LIMIT.default, wait = 0 }, { account, mode, scopes, apiVersion }) {
      const time = since === undefined ? undefined : readIsoTime(since)
      const unknown = types?.find((type) => !formats.knows(type, account.id))
      const issues: readonly (Issue | undefined)[] = [
        types !== undefined && types.length > EVENT_TYPES_COUNT.max ? TOO_MANY_TYPES : undefined,
        unknown === undefined ? undefined : unknownType(unknown, 'types'),
        pageLimitIssue(limit),
        Number.isInteger(wait) && wait >= 0 && wait <= FEED_WAIT_SECONDS ? undefined : WAIT,
        since !== undefined && time === undefined ? SINCE : undefined,
        since !== undefined && after !== undefined ? TWO_STARTS : undefined,
      ]
      const found = issues.filter((issue) => issue !== undefined)
      if (found.length > 0) throw validationFailed(found)
      const wanted = types && [...new Set(types)].sort()
      const binding = [account.id, mode, 'feed', wanted?.join(',') ?? null]
      const place = after === undefined ? undefined : await cursors.open(after, binding)
      if (after !== undefined && place === undefined) throw validationFailed(ANOTHER_FEED)
      const read: FeedRead = {
        accountId: account.id,
        mode,
        types: wanted,
        start: place !== undefined ? { at: 'place', place } : time !== undefined ? { at: 'time', time } : { at: 'end' },
        limit,
        horizonMs,
        personalData: keySeesPersonalData(scopes),
      }
      return { read, binding, apiVersion, waitMs: wait * 1000 }
    },
    async render({ events, place, hasMore, truncated }, feed) {
      const sight = { personalData: feed.read.personalData, apiVersion: feed.apiVersion }
      return {
        data: events.map((event) => reading.renderEvent(event, sight)),
        nextCursor: await cursorAt(place, feed),
        hasMore,
        truncated,
      }
    },
  }
}

const TOO_MANY_TYPES: Issue = {
  path: 'types',
  code: 'COUNT',
  message: `types must name at most ${EVENT_TYPES_COUNT.max} event types. Leave it out to get all of them.`,
}
const WAIT: Issue = {
  path: 'wait',
  code: 'RANGE',
  message: `wait must be a whole number of seconds from 0 to ${FEED_WAIT_SECONDS}.`,
}
const SINCE: Issue = {
  path: 'since',
  code: 'FORMAT',
  message: 'since must be a time such as 2026-10-01T08:00:00Z. In a query, write + as %2B.',
}
const TWO_STARTS: Issue = {
  path: 'since',
  code: 'CONFLICT',
  message: 'Send either after or since. To continue from a cursor, send only after.',
}
const ANOTHER_FEED: Issue = {
  path: 'after',
  code: 'FORMAT',
  message: 'after must be a nextCursor of the feed from this account, sent with the same types.',
}
