import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createAnnouncer, watchNotices } from './announcer.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Publishes at these times, and returns when a worker looks. */
async function looksAfter(pauses: readonly number[]) {
  const announce = createAnnouncer('channel')
  const looks: number[] = []
  const since = performance.now()
  const { noticed } = watchNotices(() => looks.push(Math.round(performance.now() - since)))
  let isEach = true
  for (const pause of pauses) {
    await vi.advanceTimersByTimeAsync(pause)
    if (announce() === null) isEach = false
    else noticed()
  }
  const last = Math.round(performance.now() - since)
  await vi.advanceTimersByTimeAsync(10_000)
  return { isEach, looks: looks.map((at) => at - last) }
}

it('looks with growing pauses after a burst, because a publisher may have left out its last notice', async () => {
  expect(await looksAfter(Array(9).fill(0))).toEqual({ isEach: false, looks: [10, 30, 70, 150, 310, 630, 1_270] })
})

it('does not look after notices that were all sent', async () => {
  expect(await looksAfter(Array(20).fill(20))).toEqual({ isEach: true, looks: [] })
  expect(await looksAfter(Array(7).fill(0))).toEqual({ isEach: true, looks: [] })
})
