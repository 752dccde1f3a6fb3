import { expect, it } from 'vitest'
import { createRepeatedReasons } from './repeated-reasons.ts'

it('shows the first three lines of a reason, and counts the others, the commonest reason first', () => {
  const reasons = createRepeatedReasons()
  const shown = [2, 4, 6, 8].map((line) => reasons.add('refused: two', line))
  expect(shown).toEqual([true, true, true, false])
  for (let line = 10; line < 1_210; line++) reasons.add('refused: one', line)
  for (const line of [1, 3, 5]) reasons.add('refused: seldom', line)
  expect(reasons.summary()).toEqual(['1,200 lines (10, 11, 12, …): refused: one', '4 lines (2, 4, 6, …): refused: two'])
})

it('counts no more than 1,000 reasons, and shows every line with another one', () => {
  const reasons = createRepeatedReasons()
  for (let line = 1; line <= 1_000; line++) reasons.add(`refused: ${line}`, line)
  expect([1, 2, 3, 4].map((line) => reasons.add('refused: another', line))).toEqual([true, true, true, true])
  expect(reasons.summary()).toEqual([])
})
