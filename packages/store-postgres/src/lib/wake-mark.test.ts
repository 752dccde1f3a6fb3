import { describe, expect, it } from 'vitest'
import { createWakeMark } from './wake-mark.ts'

const EVERYTHING = { dueFrom: 0, leasedFrom: 0 }

describe('a wake mark', () => {
  it('starts with a full scan', () => {
    expect(createWakeMark(() => 5).look()).toEqual(EVERYTHING)
  })

  it('begins a scan 250 ms before the due time of the last lane found, because a commit may be that late', () => {
    const mark = createWakeMark(() => 5)
    mark.look()
    mark.found([60_000, 70_000, 80_000], undefined)
    expect(mark.look().dueFrom).toBe(79_750)
    mark.found([], 90_000)
    expect(mark.look().dueFrom).toBe(89_750)
  })

  it('goes back once by the duration of a pass, because the lanes that it woke are visible only at its end', () => {
    const mark = createWakeMark(() => 5)
    mark.look()
    mark.found([60_000], undefined)
    mark.woke(2_000)
    mark.woke(1_000)
    expect(mark.look().dueFrom).toBe(57_750)
    expect(mark.look().dueFrom).toBe(59_750)
  })

  it('looks for leases that have expired since a scan last found all expired leases', () => {
    const mark = createWakeMark(() => 5)
    mark.look()
    mark.found([], 90_000)
    expect(mark.look().leasedFrom).toBe(89_750)
    mark.found([60_000], undefined)
    expect(mark.look().leasedFrom).toBe(89_750)
  })

  it.for([
    { title: 'after forty times its duration', took: 30, pause: 1_200 },
    { title: 'after at least 200 ms', took: 1, pause: 200 },
    { title: 'after at most five seconds', took: 1_000, pause: 5_000 },
  ])('repeats the full scan $title, so that no lane is missed for longer', ({ took, pause }) => {
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
