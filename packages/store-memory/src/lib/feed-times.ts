import type { MemoryState } from './memory-state.ts'

const NOTE_EVERY_MS = 60_000

/** Notes how far the feed has got, unless this was noted within the last minute or nothing was sequenced since. */
export function noteFeedTime({ feedTimes, position, now }: MemoryState): void {
  const last = feedTimes.at(-1)
  const at = now()
  if (last === undefined || (position > last.position && at >= last.at + NOTE_EVERY_MS))
    feedTimes.push({ at, position })
}

/** A position in the feed before which everything was published before this time; 0 if none is known. */
export function positionBefore({ feedTimes }: MemoryState, time: number): number {
  return feedTimes.findLast(({ at }) => at < time)?.position ?? 0
}

/** The notes that are still needed if no event is older than this time. */
export function feedTimesAfter({ feedTimes }: MemoryState, oldest: number): MemoryState['feedTimes'] {
  const first = feedTimes.findLastIndex(({ at }) => at < oldest)
  return feedTimes.slice(Math.max(0, first))
}
