import { FEED_OVERLAP_MS, type FeedPage, type FeedPlace, type FeedRead } from '@callboard/core/store'
import { textOf } from './event-text.ts'
import { positionBefore } from './feed-times.ts'
import { placeAfter } from './lanes/pending-events.ts'
import type { FeedEntry, MemoryState, ModeState } from './memory-state.ts'

/** Reads a page of the feed, oldest first. */
export function readFeed(state: MemoryState, read: FeedRead): FeedPage {
  const { accountId, mode, types, start, limit, horizonMs, personalData } = read
  const home = state.accounts.get(accountId)?.modes[mode]
  const end = placeOf(state, home?.feedStart ?? 0, home && lastEntry(home))
  if (home === undefined || start.at === 'end') return { events: [], place: end, hasMore: false, truncated: false }

  const floor = positionBefore(state, state.now() - horizonMs)
  const isLost = start.at === 'place' && isLostPlace(state, home, start.place)
  const from = startOf(state, start, isLost)
  const isOvertaken = from < home.feedStart || entriesAfter(home, undefined, from, 1).some((e) => e.position <= floor)
  const found = entriesAfter(home, types, Math.max(from, floor), limit + 1)
  const entries = found.slice(0, limit)
  const hasMore = found.length > limit
  return {
    events: entries.map(({ position, event }) => {
      return { ...textOf(event, personalData), position, publishedAt: event.publishedAt }
    }),
    place: hasMore ? placeOf(state, 0, entries.at(-1)) : end,
    hasMore,
    truncated: isLost || isOvertaken,
  }
}

function startOf(state: MemoryState, start: FeedRead['start'], isLost: boolean): number {
  if (start.at === 'time') return positionBefore(state, start.time.getTime())
  if (start.at === 'end') return state.position
  const { position, event } = start.place
  return isLost ? positionBefore(state, (event?.publishedAt ?? 0) - FEED_OVERLAP_MS) : position
}

/** Whether the history to which the place belongs may have been lost. */
function isLostPlace(state: MemoryState, home: ModeState, { generation, position, event }: FeedPlace): boolean {
  if (generation !== state.generation) return true
  return event !== undefined && position > home.feedStart && home.positions.get(event.id) !== position
}

function placeOf({ generation }: MemoryState, feedStart: number, last: FeedEntry | undefined): FeedPlace {
  if (last === undefined || last.position <= feedStart) return { generation, position: feedStart, event: undefined }
  const { position, event } = last
  return { generation, position, event: { id: event.stored.id, publishedAt: event.publishedAt } }
}

function lastEntry({ feedByType }: ModeState): FeedEntry | undefined {
  return [...feedByType.values()]
    .flatMap((feed) => feed.at(-1) ?? [])
    .sort((a, b) => a.position - b.position)
    .at(-1)
}

function entriesAfter(
  { feedByType }: ModeState,
  types: readonly string[] | undefined,
  position: number,
  limit: number,
): FeedEntry[] {
  return [...(types ?? feedByType.keys())]
    .flatMap((type) => {
      const feed = feedByType.get(type) ?? []
      const first = placeAfter(feed, position)
      return feed.slice(first, first + limit)
    })
    .sort((a, b) => a.position - b.position)
    .slice(0, limit)
}
