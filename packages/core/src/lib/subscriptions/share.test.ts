import { describe, expect, it } from 'vitest'
import { changeShare, isInShare, shareOf } from './share.ts'

describe('a share of the feed', () => {
  it('includes an event only if the subscription included its type when the event was sequenced', () => {
    const first = changeShare(shareOf(['a']), ['b'], 10)
    const second = changeShare(first, ['a', 'c'], 20)
    const has = (type: string): number[] => [5, 10, 11, 20, 21].filter((position) => isInShare(second, type, position))
    expect(has('a')).toEqual([5, 10, 21])
    expect(has('b')).toEqual([11, 20])
    expect(has('c')).toEqual([21])
    expect(['a', 'b', 'c'].map((type) => isInShare(first, type, undefined))).toEqual([false, true, false])
  })

  it('includes all earlier types before the previous selection', () => {
    let share = shareOf(['a'])
    for (const [index, type] of ['b', 'c', 'd'].entries()) share = changeShare(share, [type], index * 10 + 10)
    const [, previous, earlier] = share
    expect(previous).toEqual({ types: ['c'], after: 20, through: 30 })
    expect(earlier).toEqual({ types: ['a', 'b'], after: 0, through: 20 })
  })
})
