import type { AccountMode } from './account-store.ts'
import type { EventText } from './stored-event.ts'

/**
 * How far before a cursor's event a page begins when the end of the feed may have been lost, in milliseconds. Longer
 * than the difference between the clocks of the old and the new server.
 */
export const FEED_OVERLAP_MS = 300_000

/** A place in the feed of an account and mode. A page continues after it. */
export interface FeedPlace {
  /** UUID of the feed's history. The store starts a new history whenever it may have lost the end of the feed. */
  readonly generation: string
  readonly position: number
  /** The event at the position; undefined if the feed had no event up to there. `publishedAt` is in ms since 1970. */
  readonly event: { readonly id: string; readonly publishedAt: number } | undefined
}

/** Where a reading of the feed starts. */
export type FeedStart =
  | { readonly at: 'end' }
  /** At or before the first event that was published at this time or later. */
  | { readonly at: 'time'; readonly time: Date }
  | { readonly at: 'place'; readonly place: FeedPlace }

export interface FeedRead extends AccountMode {
  /** Only events of these types; undefined for all types. */
  readonly types: readonly string[] | undefined
  readonly start: FeedStart
  readonly limit: number
  /** Excludes events that were published more than about this many milliseconds ago. */
  readonly horizonMs: number
  /** Whether to read the patches, which contain the personal data. */
  readonly personalData: boolean
}

export interface FeedEvent extends EventText {
  readonly position: number
  /** Milliseconds since 1970. */
  readonly publishedAt: number
}

export interface FeedPage {
  /** In the order of the feed. */
  readonly events: readonly FeedEvent[]
  /** Where the next page starts. It is past every event that was looked at, even if it was of another type. */
  readonly place: FeedPlace
  /** Whether another event of these types follows. */
  readonly hasMore: boolean
  /**
   * Whether events may be missing before this page, or may be repeated in it: the end of the feed may have been lost,
   * or retention has removed events after the place.
   */
  readonly truncated: boolean
}
