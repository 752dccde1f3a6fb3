import type { EventFeed, OpenFeed } from '../events/event-feed.ts'
import type { FeedPage } from '../ports/feed-page.ts'

/** How often a process looks for all callers that wait, in milliseconds, if nothing tells it of new events. */
const LOOK_MS = 1_000
/**
 * After events were published, the first look follows this soon, and each pause is twice as long as the one before: a
 * worker elsewhere may be about to sequence the events.
 */
const FIRST_LOOK_MS = 25
/** The share of the time that looks may take. */
const LOOKING_PART = 1 / 5
/** The most pages of one statement. */
const MOST_PAGES = 200

/** Lets callers wait for events. Costs nothing while nobody waits. */
export interface FeedWaits {
  /**
   * Reads the page that continues a feed: at once if there is anything to tell, otherwise as soon as there is. Returns
   * an empty page after `ms`, or when the signal aborts. Rejects if the store fails.
   */
  next(feed: OpenFeed, ms: number, signal: AbortSignal): Promise<FeedPage>
  /** Call this when this process has published events. They may not be in the feed yet. */
  onPublished(): void
  /** Call this when events have come into the feed. */
  onSequenced(): void
}

interface Waiter {
  feed: OpenFeed
  /** The last page that was read; undefined before the first look. */
  page: FeedPage | undefined
  until: number
  readonly settle: (outcome: FeedPage | Promise<never>) => void
}

/** @param elapsed the time now, in monotonic milliseconds. */
export function createFeedWaits({ read }: Pick<EventFeed, 'read'>, elapsed: () => number): FeedWaits {
  const waiting = new Set<Waiter>()
  let isRunning = false
  let wake: () => void = () => undefined
  let pauseMs = LOOK_MS
  let lookAt = 0
  /** The next look may not be before, so that looks take only their share. */
  let notBefore = 0

  const look = async (groups: readonly (readonly Waiter[])[]): Promise<void> => {
    try {
      const pages = await read(groups.flatMap(([first]) => first?.feed ?? []))
      for (const [index, group] of groups.entries()) {
        const page = pages[index]
        if (page === undefined) throw new Error('the store returned no page')
        const start = { at: 'place', place: page.place } as const
        for (const waiter of group) {
          if (page.events.length > 0 || page.hasMore || page.truncated) waiter.settle(page)
          waiter.page = page
          waiter.feed = { ...waiter.feed, read: { ...waiter.feed.read, start } }
        }
      }
    } catch (error) {
      for (const { settle } of groups.flat()) settle(Promise.reject(error))
    }
  }

  const run = async (): Promise<void> => {
    isRunning = true
    while (waiting.size > 0) {
      const startedAt = elapsed()
      const isLook = startedAt >= lookAt
      // A notice that comes during the look asks for another one.
      if (isLook) lookAt = Number.POSITIVE_INFINITY
      const groups = alike([...waiting].filter(({ page }) => isLook || page === undefined))
      for (let first = 0; first < groups.length; first += MOST_PAGES) {
        await look(groups.slice(first, first + MOST_PAGES))
      }
      const now = elapsed()
      if (isLook) {
        notBefore = now + (now - startedAt) * (1 / LOOKING_PART - 1)
        pauseMs = Math.min(pauseMs * 2, LOOK_MS)
        lookAt = Math.max(Math.min(lookAt, now + pauseMs), notBefore)
      }
      let wakeAt = lookAt
      for (const { page, until, settle } of waiting) {
        if (page !== undefined && until <= now) settle(page)
        else wakeAt = Math.min(wakeAt, page === undefined ? now : until)
      }
      if (waiting.size > 0 && wakeAt > now)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, wakeAt - now)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
    }
    isRunning = false
  }

  const lookSoon = (inMs: number): void => {
    const at = Math.max(elapsed() + inMs, notBefore)
    if (at >= lookAt) return
    lookAt = at
    wake()
  }

  return {
    next: (feed, ms, signal) =>
      new Promise((resolve) => {
        const settle = (outcome: FeedPage | Promise<never>): void => {
          waiting.delete(waiter)
          signal.removeEventListener('abort', end)
          resolve(outcome)
        }
        const end = (): void => {
          waiter.until = 0
          wake()
        }
        const waiter: Waiter = { feed, page: undefined, until: elapsed() + ms, settle }
        waiting.add(waiter)
        if (signal.aborted) end()
        else signal.addEventListener('abort', end)
        if (isRunning) wake()
        else void run()
      }),
    onPublished() {
      pauseMs = FIRST_LOOK_MS / 2
      lookSoon(FIRST_LOOK_MS)
    },
    onSequenced() {
      pauseMs = LOOK_MS
      lookSoon(0)
    },
  }
}

/** Groups callers that wait for the same page: most callers of an account are at the end of its feed. */
function alike(waiters: readonly Waiter[]): Waiter[][] {
  const groups = new Map<string, Waiter[]>()
  for (const waiter of waiters) {
    const { accountId, mode, types, start, limit, personalData } = waiter.feed.read
    const key = JSON.stringify([accountId, mode, types, start, limit, personalData])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [waiter])
    else group.push(waiter)
  }
  return [...groups.values()]
}
