import { describe, expect, it } from 'vitest'
import { createWakeMark } from './wake-mark.ts'

const EVERYTHING = { dueFrom: 0, leasedFrom: 0 }

describe('a mark of lanes to look for', () => {
  it('looks for all of them at first', () => {
    expect(createWakeMark(() => 5).look()).toEqual(EVERYTHING)
  })

  it('looks on from a quarter of a second before the last that was due: whoever wakes a lane may commit that late', () => {
    const mark = createWakeMark(() => 5)
    mark.look()
    mark.found([60_000, 70_000, 80_000], undefined)
    expect(mark.look().dueFrom).toBe(79_750)
    mark.found([], 90_000)
    expect(mark.look().dueFrom).toBe(89_750)
  })

  it('looks back once over all that a pass took: it woke its first lanes at its beginning, and nobody saw them until its end', () => {
    const mark = createWakeMark(() => 5)
    mark.look()
    mark.found([60_000], undefined)
    mark.woke(2_000)
    mark.woke(1_000)
    expect(mark.look().dueFrom).toBe(57_750)
    expect(mark.look().dueFrom).toBe(59_750)
  })

  it('looks for leases that ran out since the last look which left none', () => {
    const mark = createWakeMark(() => 5)
    mark.look()
    mark.found([], 90_000)
    expect(mark.look().leasedFrom).toBe(89_750)
    mark.found([60_000], undefined)
    expect(mark.look().leasedFrom).toBe(89_750)
  })

  it.for([
    { title: 'after forty times what that took', took: 30, pause: 1_200 },
    { title: 'after 200 ms at the soonest', took: 1, pause: 200 },
    { title: 'after five seconds at the latest', took: 1_000, pause: 5_000 },
  ])('looks for all of them again $title, so that none is missed for longer', ({ took, pause }) => {
    let now = 0
    const mark = createWakeMark(() => now)
    mark.look()
    now = took
    mark.found([60_000], 90_000)
    now = pause - 1
    expect(mark.look()).not.toEqual(EVERYTHING)
    now = pause
    expect(mark.look()).toEqual(EVERYTHING)
    expect(mark.look()).not.toEqual(EVERYTHING)
  })
})
