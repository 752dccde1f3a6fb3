import { describe, expect, it } from 'vitest'
import { changeShare, isInShare, type Stretch } from './share.ts'

const ALL: Stretch[] = [{ type: 'a', after: 0, through: undefined }]

describe('a share of the feed', () => {
  it('includes an event only if the subscription included its type when the event was sequenced', () => {
    const first = changeShare(ALL, { eventTypes: ['b'], head: 10, cursor: 10 })
    const second = changeShare(first, { eventTypes: ['a', 'b'], head: 20, cursor: 20 })
    const has = (type: string): number[] => [5, 10, 11, 20, 21].filter((position) => isInShare(second, type, position))
    expect(has('a')).toEqual([5, 10, 21])
    expect(has('b')).toEqual([11, 20, 21])
    expect(has('c')).toEqual([])
    expect([isInShare(first, 'a', undefined), isInShare(first, 'b', undefined)]).toEqual([false, true])
  })

  it('is the same as before if a change is reverted before any event is sequenced', () => {
    const there = changeShare(ALL, { eventTypes: ['b'], head: 10, cursor: 0 })
    expect(changeShare(there, { eventTypes: ['a'], head: 10, cursor: 0 })).toEqual(ALL)
  })

  it('keeps the last hundred changes, and all changes with pending deliveries', () => {
    const after = (cursor: number): Stretch[] => {
      let share: Stretch[] = ALL
      for (let head = 1; head <= 300; head++)
        share = changeShare(share, { eventTypes: [head % 2 === 0 ? 'a' : 'b'], head, cursor })
      return share
    }
    expect(after(300)).toHaveLength(101)
    expect(after(0)).toHaveLength(301)
    expect(isInShare(after(300), 'a', 300)).toBe(false)
    expect(isInShare(after(300), 'b', 300)).toBe(true)
  })

  it('cannot be changed while deliveries from five hundred changes are pending', () => {
    let share: Stretch[] = ALL
    const change = (head: number, cursor: number): Stretch[] =>
      changeShare(share, { eventTypes: [head % 2 === 0 ? 'a' : 'b'], head, cursor })
    for (let head = 1; head <= 500; head++) share = change(head, 0)
    expect(() => change(501, 0)).toThrow(/^The event types were changed too often/)
    expect(change(501, 501)).toHaveLength(101)
  })
})
