import { afterEach, expect, it, vi } from 'vitest'
import type { OpenFeed } from '../events/event-feed.ts'
import type { FeedPage } from '../ports/feed-page.ts'
import { createFeedWaits } from './feed-waits.ts'

afterEach(() => void vi.useRealTimers())

const place = { generation: 'g', position: 1, event: undefined }
const event = { id: 'evt_1', type: 'order.paid', position: 2, publishedAt: 0, body: '{}', patch: null, fingerprint: '' }
const owner = {
  accountId: 'acc_1',
  mode: 'live',
  types: undefined,
  limit: 1,
  horizonMs: 1,
  personalData: false,
} as const
const feed: OpenFeed = { read: { ...owner, start: { at: 'end' } }, binding: [], apiVersion: '2026-10-01', waitMs: 0 }

it('looks again at once if it is told of events while it is looking', async () => {
  vi.useFakeTimers()
  const looks: ((events: FeedPage['events']) => void)[] = []
  const waits = createFeedWaits(
    {
      read: () =>
        new Promise((resolve) => {
          looks.push((events) => resolve([{ events, place, hasMore: false, truncated: false }]))
        }),
    },
    () => Date.now(),
  )
  const found = vi.fn()
  waits.next(feed, 10_000, new AbortController().signal).then(found)
  looks[0]?.([])
  await vi.advanceTimersByTimeAsync(0)
  waits.onSequenced()
  await vi.advanceTimersByTimeAsync(0)
  waits.onSequenced()
  looks[1]?.([])
  await vi.advanceTimersByTimeAsync(10)
  looks[2]?.([event])
  await vi.advanceTimersByTimeAsync(0)
  expect(found).toHaveBeenCalledWith(expect.objectContaining({ events: [event] }))
})
