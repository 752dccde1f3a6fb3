import { BREAKER_THRESHOLD } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import { breakerPause } from './breaker.ts'

describe('the pause of a breaker', () => {
  it('is 0 after fewer than five failures', () => {
    for (let failures = 0; failures < BREAKER_THRESHOLD; failures++) expect(breakerPause(failures)).toBe(0)
  })

  it.for([
    [0, 5_000],
    [1, 10_000],
    [2, 20_000],
    [5, 160_000],
    [6, 300_000],
    [1_000, 300_000],
  ] as const)(
    'after %i failed probes is about %i ms, and differs between lanes that failed together',
    ([probes, pause]) => {
      const failures = BREAKER_THRESHOLD + probes
      expect(breakerPause(failures, () => 0)).toBe(0.8 * pause)
      expect(breakerPause(failures, () => 0.5)).toBe(pause)
      expect(breakerPause(failures, () => 0.999_999)).toBeCloseTo(1.2 * pause, -1)
      expect(new Set(Array.from({ length: 20 }, () => breakerPause(failures))).size).toBeGreaterThan(10)
    },
  )
})
