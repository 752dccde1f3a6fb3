import { describe, expect, it } from 'vitest'
import { createWakeMark } from './wake-mark.ts'

describe('a mark of lanes that are due', () => {
  it('looks for all of them at first', () => {
    expect(createWakeMark(() => 5).from()).toBe(0)
  })

  it('looks on from a quarter of a second before the oldest that was found: whoever wakes a lane may commit that late', () => {
    const mark = createWakeMark(() => 5)
    mark.from()
    mark.found([70_000, 60_000, 80_000])
    expect(mark.from()).toBe(59_750)
  })

  it('stays where it is when nothing is found', () => {
    const mark = createWakeMark(() => 5)
    mark.from()
    mark.found([60_000])
    mark.found([])
    expect(mark.from()).toBe(59_750)
  })

  it('looks back once over all that a pass took: it woke its first lanes at its beginning, and nobody saw them until its end', () => {
    const mark = createWakeMark(() => 5)
    mark.from()
    mark.found([60_000])
    mark.woke(2_000)
    mark.woke(1_000)
    expect(mark.from()).toBe(57_750)
    expect(mark.from()).toBe(59_750)
  })

  it('looks for all of them again every ten seconds, so that none is missed for longer', () => {
    let now = 0
    const mark = createWakeMark(() => now)
    mark.from()
    mark.found([60_000])
    now = 9_999
    expect(mark.from()).toBe(59_750)
    now = 10_000
    expect(mark.from()).toBe(0)
    expect(mark.from()).toBe(59_750)
  })
})
