import { expect, it } from 'vitest'
import { createRecent } from './recent.ts'

it('remembers items, but never more than its limit', () => {
  const recent = createRecent(2)
  for (const item of ['a', 'b', 'b']) recent.add(item)
  expect(['a', 'b', 'c'].map(recent.has)).toEqual([true, true, false])
  recent.add('c')
  expect(['a', 'b', 'c'].map(recent.has)).toEqual([false, false, true])
})
