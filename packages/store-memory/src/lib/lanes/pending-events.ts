import type { FeedEntry, MemoryState, SubscriptionState } from '../memory-state.ts'

/** The subscription's events that wait for their first attempt, in the order of the feed. */
export function pendingEvents(state: MemoryState, subscription: SubscriptionState): FeedEntry[] {
  return eventsAhead(state, subscription, Infinity).filter(({ event }) => event.arrival > subscription.since)
}

/**
 * The first of the subscription's events after `settledThrough` of its lane, in the order of the feed. Some may be
 * older than the subscription.
 */
export function eventsAhead(
  state: MemoryState,
  { record, selections, lane }: SubscriptionState,
  limit: number,
): FeedEntry[] {
  const feeds = state.accounts.get(record.accountId)?.modes[record.mode].feedByType
  return selections
    .flatMap(({ types, after, through }) =>
      types.flatMap((type) => {
        const feed = feeds?.get(type) ?? []
        const entries: FeedEntry[] = []
        for (let at = placeAfter(feed, Math.max(lane.settledThrough, after)); entries.length < limit; at++) {
          const entry = feed[at]
          if (entry === undefined || entry.position > through) break
          entries.push(entry)
        }
        return entries
      }),
    )
    .sort((a, b) => a.position - b.position)
    .slice(0, limit)
}

/** The index of the first entry after a position. */
export function placeAfter(feed: readonly FeedEntry[], position: number): number {
  let low = 0
  let high = feed.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((feed[middle]?.position ?? 0) <= position) low = middle + 1
    else high = middle
  }
  return low
}
