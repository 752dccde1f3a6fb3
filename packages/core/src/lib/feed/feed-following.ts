import { CallboardError, isCallboardError } from '../errors.ts'
import type { EventFeed, FeedTextsPage, OpenFeed } from '../events/event-feed.ts'
import { keySeesPersonalData } from '../personal-data/who-may-see.ts'
import type { Caller } from '../ports/admission-store.ts'
import type { FeedPage, FeedPlace } from '../ports/feed-page.ts'
import { createFeedSeats, type Seat } from './feed-seats.ts'
import type { FeedWaits } from './feed-waits.ts'

/** The longest time that a stream stays open, in milliseconds. Clients then connect again. */
export const STREAM_MS = 900_000
/** A quiet stream tells its cursor this often, in milliseconds. */
const QUIET_MS = 15_000
/** What a caller may see is looked up again when the last look is older than this, in milliseconds. */
const JUDGED_MS = 1_000
const STREAM_PAGE = 100

/** A caller of the feed. */
export interface Follower {
  readonly caller: Caller
  /** Looks up the caller's key again; undefined if it is not valid any more. */
  readonly recheck: () => Promise<Caller | undefined>
  /**
   * Aborts when the call is to end: the caller has left, or the platform ends open requests. Always abort it in the end,
   * so that the caller gives up its place among those that wait.
   */
  readonly signal: AbortSignal
}

/** The events of a stream that follow its last part. */
export interface FeedPart {
  readonly events: readonly { readonly text: string; readonly cursor: string }[]
  /** The cursor after the events. */
  readonly cursor: string
  /** Whether events before these may be missing or repeated. */
  readonly truncated: boolean
}

/**
 * Resolves with the next part of a stream: at once for the first time, then as soon as there are events, and without
 * events after 15 seconds. Undefined when the stream has ended: its time is over, its signal has aborted, or the caller
 * may not read events any more. Rejects if the store fails.
 */
export type NextFeedPart = () => Promise<FeedPart | undefined>

/** Reads the feed for callers that wait for events. */
export interface FeedFollowing {
  /**
   * Waits for a page, at most `feed.waitMs`. Throws `RATE_LIMITED` if too many calls wait, `UNAUTHENTICATED` or
   * `INSUFFICIENT_SCOPE` if the caller lost its right meanwhile.
   */
  wait(feed: OpenFeed, follower: Follower): Promise<FeedTextsPage>
  /** Opens a stream, for at most `maxMs`. Throws `RATE_LIMITED` if too many calls wait. */
  stream(feed: OpenFeed, follower: Follower, maxMs: number): NextFeedPart
}

export interface FeedFollowingOptions {
  readonly feed: Pick<EventFeed, 'render' | 'cursorAt'>
  readonly waits: Pick<FeedWaits, 'next'>
  /** The time now, in monotonic milliseconds. */
  readonly elapsed: () => number
}

export function createFeedFollowing({ feed: reading, waits, elapsed }: FeedFollowingOptions): FeedFollowing {
  const seats = createFeedSeats(elapsed)

  const takeSeat = ({ caller, signal }: Follower): Seat => {
    const seat = seats.enter(caller)
    signal.addEventListener('abort', seat.leave, { once: true })
    if (signal.aborted) seat.leave()
    return seat
  }

  /** Returns a function that gives the feed as the caller may see it now. */
  const createSight = ({ recheck }: Follower): ((feed: OpenFeed) => Promise<OpenFeed>) => {
    let judgedAt = elapsed()
    let personalData: boolean | undefined
    return async (feed) => {
      if (elapsed() - judgedAt > JUDGED_MS) {
        judgedAt = elapsed()
        const caller = await recheck()
        if (caller === undefined) throw new CallboardError('UNAUTHENTICATED', 'The key is not valid any more.')
        if (!caller.scopes.includes('webhooks.read'))
          throw new CallboardError('INSUFFICIENT_SCOPE', 'The key has lost the scope webhooks.read.')
        personalData = keySeesPersonalData(caller.scopes)
      }
      return personalData === undefined ? feed : { ...feed, read: { ...feed.read, personalData } }
    }
  }

  return {
    async wait(feed, follower) {
      const sight = createSight(follower)
      takeSeat(follower)
      const page = await waits.next(feed, feed.waitMs, follower.signal)
      return reading.render(page, await sight(feed))
    },
    stream(opened, follower, maxMs) {
      const sight = createSight(follower)
      const seat = takeSeat(follower)
      const endsAt = elapsed() + maxMs
      let feed: OpenFeed = { ...opened, read: { ...opened.read, limit: STREAM_PAGE } }
      let waitMs = 0
      /** The last part, for a quiet stream: its cursor stays the same, and encrypting it takes most of the time. */
      let last: FeedPart | undefined

      const partOf = async ({ events, place, truncated }: FeedPage): Promise<FeedPart> => {
        const { start } = feed.read
        if (
          last !== undefined &&
          events.length === 0 &&
          !truncated &&
          start.at === 'place' &&
          isSame(start.place, place)
        )
          return { ...last, events: [], truncated }
        const texts = await reading.render({ events, place, hasMore: false, truncated }, feed)
        const { generation } = place
        const cursors = await Promise.all(
          events.map(({ position, id, publishedAt }) =>
            reading.cursorAt({ generation, position, event: { id, publishedAt } }, feed),
          ),
        )
        return {
          events: texts.data.map((text, index) => ({ text, cursor: cursors[index] ?? texts.nextCursor })),
          cursor: texts.nextCursor,
          truncated,
        }
      }

      return async () => {
        const now = elapsed()
        if (follower.signal.aborted || now >= endsAt) return undefined
        const page = await waits.next(feed, Math.min(waitMs, endsAt - now), follower.signal)
        if (follower.signal.aborted) return undefined
        waitMs = QUIET_MS
        try {
          feed = await sight(feed)
        } catch (error) {
          if (isCallboardError(error, 'UNAUTHENTICATED') || isCallboardError(error, 'INSUFFICIENT_SCOPE'))
            return undefined
          throw error
        }
        const part = await partOf(page)
        last = part
        feed = { ...feed, read: { ...feed.read, start: { at: 'place', place: page.place } } }
        const pauseMs = page.hasMore ? seat.paceMs() : 0
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
        return part
      }
    },
  }
}

function isSame(a: FeedPlace, b: FeedPlace): boolean {
  return a.position === b.position && a.generation === b.generation && a.event?.id === b.event?.id
}
