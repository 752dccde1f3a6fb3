import { describe, expect, it } from 'vitest'
import { changeSelections, isSelected, selectionsOf } from './selections.ts'

describe('the selections of a subscription', () => {
  it('include an event only if the subscription included its type when the event was sequenced', () => {
    const first = changeSelections(selectionsOf(['a']), ['b'], 10)
    const second = changeSelections(first, ['a', 'c'], 20)
    const has = (type: string): number[] => [5, 10, 11, 20, 21].filter((position) => isSelected(second, type, position))
    expect(has('a')).toEqual([5, 10, 21])
    expect(has('b')).toEqual([11, 20])
    expect(has('c')).toEqual([21])
    expect(['a', 'b', 'c'].map((type) => isSelected(first, type, undefined))).toEqual([false, true, false])
  })

  it('include all earlier types before the previous selection', () => {
    let selections = selectionsOf(['a'])
    for (const [index, type] of ['b', 'c', 'd'].entries())
      selections = changeSelections(selections, [type], index * 10 + 10)
    const [, previous, earlier] = selections
    expect(previous).toEqual({ types: ['c'], after: 20, through: 30 })
    expect(earlier).toEqual({ types: ['a', 'b'], after: 0, through: 20 })
  })
})
