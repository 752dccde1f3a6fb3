import type { RateLimits } from '@callboard/core'
import { DEFAULT_RATE_LIMITS } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import { createMemoryRateLimiter } from '../index.ts'

const KEY = { accountId: 'acc', keyId: 'k' }
const LIMITS: RateLimits = [
  { seconds: 1, limit: 2 },
  { seconds: 10, limit: 3 },
  { seconds: 60, limit: 5 },
]

describe('the memory rate limiter', () => {
  it('counts a request in all three windows, or in none if any window is full', async () => {
    let time = 60_000
    const limiter = createMemoryRateLimiter({ now: () => time })
    const take = async () => {
      const { admitted, windows } = await limiter.takeRequest(KEY, LIMITS)
      return [admitted, ...windows.map(({ remaining }) => remaining)]
    }
    expect(await take()).toEqual([true, 1, 2, 4])
    expect(await take()).toEqual([true, 0, 1, 3])
    expect(await take()).toEqual([false, 0, 1, 3])
    time += 1000
    expect(await take()).toEqual([true, 1, 0, 2])
    expect(await take()).toEqual([false, 1, 0, 2])
  })

  it('counts keys of different accounts separately, even if their ids are equal', async () => {
    const limiter = createMemoryRateLimiter({ now: () => 60_000 })
    for (let requests = 0; requests < 3; requests++) await limiter.takeRequest({ ...KEY, accountId: 'other' }, LIMITS)
    expect((await limiter.takeRequest(KEY, LIMITS)).windows.map(({ remaining }) => remaining)).toEqual([1, 2, 4])
  })

  it('starts each window at a multiple of its length on the clock', async () => {
    const limiter = createMemoryRateLimiter({ now: () => 119_400 })
    const { windows } = await limiter.takeRequest(KEY, DEFAULT_RATE_LIMITS)
    expect(windows.map(({ resetAfterMs }) => resetAfterMs)).toEqual([600, 600, 600])
  })

  it('keeps counting in the latest window when the clock is set back by five seconds', async () => {
    let time = 3_660_000
    const limiter = createMemoryRateLimiter({ now: () => time })
    await limiter.takeRequest(KEY, LIMITS)
    await limiter.takeRequest(KEY, LIMITS)
    time -= 5_000
    const { admitted, windows } = await limiter.takeRequest(KEY, LIMITS)
    expect({ admitted, wait: windows.map(({ resetAfterMs }) => resetAfterMs) }).toEqual({
      admitted: false,
      wait: [6_000, 15_000, 65_000],
    })
  })

  it('starts counting anew, and keeps no old counts, when the clock is set back by an hour', async () => {
    let time = 3_660_000
    const limiter = createMemoryRateLimiter({ now: () => time })
    await limiter.takeRequest(KEY, LIMITS)
    await limiter.takeRequest(KEY, LIMITS)
    time -= 3_600_000
    const { admitted, windows } = await limiter.takeRequest(KEY, LIMITS)
    expect([admitted, ...windows.map(({ remaining }) => remaining)]).toEqual([true, 1, 2, 4])
    expect(windows.map(({ resetAfterMs }) => resetAfterMs)).toEqual([1_000, 10_000, 60_000])
  })

  it('drops the counts of a key only after all its windows have ended', async () => {
    let time = 60_000
    const limiter = createMemoryRateLimiter({ now: () => time })
    const fill = (prefix: string) =>
      Promise.all(
        Array.from({ length: 2000 }, (_, index) => limiter.takeRequest({ ...KEY, keyId: `${prefix}${index}` }, LIMITS)),
      )
    await limiter.takeRequest(KEY, LIMITS)
    await fill('a')
    expect((await limiter.takeRequest(KEY, LIMITS)).windows[2]?.remaining).toBe(3)
    time += 120_000
    await fill('b')
    expect((await limiter.takeRequest(KEY, LIMITS)).windows[2]?.remaining).toBe(4)
  })
})
