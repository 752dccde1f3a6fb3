import { expect, it } from 'vitest'
import { duration } from './duration.ts'

it('rounds durations down, so that none reaches the next unit early', () => {
  const edges = [0, 999.7, 59_970, 3_599_000, 5_400_000, 86_399_000, 172_799_000].map(duration)
  expect(edges).toEqual(['0 ms', '999 ms', '59 s', '59 min', '1 h', '23 h', '1 d'])
})
