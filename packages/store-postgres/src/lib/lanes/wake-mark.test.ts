import type { DuePlace } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import type { DueLaneRow } from './due-lanes.ts'
import { createWakeMark, placeAfter, type WakeMark } from './wake-mark.ts'

const LOOKED_AT = 90_000

function found(second: number): DueLaneRow {
  return {
    account_id: 'acc',
    mode: 'live',
    subscription_id: '019a0000-0000-7000-8000-000000000000',
    host: 'example.com',
    slow: false,
    has_new: false,
    epoch: 1,
    due_at: second * 1_000,
    wake_at: `1970-01-01 00:00:${second}+00`,
    looked_at: LOOKED_AT,
  }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const since = (from: { readonly dueAt: string }): number => new Date(from.dueAt).getTime()

describe('a search for due lanes', () => {
  it('begins with all lanes', () => {
    expect(createWakeMark().from(undefined)).toEqual({ dueAt: '-infinity', id: FIRST_ID })
  })

  it('continues exactly after the last lane found, so that it ends even if many lanes became due at once', () => {
    const { place, rest } = placeAfter([found(10), found(20)], 2, undefined)
    expect(rest).toBe(true)
    expect(createWakeMark().from(place)).toEqual({
      dueAt: '1970-01-01 00:00:20+00',
      id: '019a0000-0000-7000-8000-000000000000',
    })
  })

  it('is followed by a search that goes back 25 ms, because most commits are at most that late', () => {
    const { place, rest } = placeAfter([found(10)], 2, undefined)
    expect(rest).toBe(false)
    expect(backOf(readMark(), place)).toBe(25)
    const first = placeAfter([found(10), found(20)], 2, undefined).place
    const last = placeAfter([{ ...found(30), looked_at: LOOKED_AT + 5_000 }], 2, first).place
    expect(since(readMark().from(last))).toBe(LOOKED_AT - 25)
  })

  it('goes back far again at once when the clock is set back, instead of waiting until the clock catches up', () => {
    const mark = createWakeMark()
    const backAt = (since: number): number => since - new Date(mark.from({ since, last: undefined }).dueAt).getTime()
    expect([LOOKED_AT + 3_600_000, LOOKED_AT, LOOKED_AT + 1].map(backAt)).toEqual([500, 500, 25])
  })

  it('goes back further every 250 ms, so that it finds all lanes whose commits are at most 250 ms late', () => {
    const mark = createWakeMark()
    const back = [0, 100, 249, 250, 300, 499, 500].map((later) =>
      backOf(mark, { since: LOOKED_AT + later, last: undefined }),
    )
    expect(back).toEqual([500, 25, 25, 500, 25, 25, 500])
  })

  it('goes back once by the duration of a pass, because the lanes that the pass woke became visible only at its end', () => {
    const mark = readMark()
    const { place } = placeAfter([found(10)], 2, undefined)
    mark.committed(2_000)
    mark.committed(1_000)
    expect(backOf(mark, place)).toBe(2_025)
    expect(backOf(mark, place)).toBe(25)
    mark.committed(2_000)
    expect(backOf(mark, { since: LOOKED_AT + 250, last: undefined })).toBe(2_025)
  })
})

/** A mark whose search has just gone back further. */
function readMark(): WakeMark {
  const mark = createWakeMark()
  mark.from({ since: LOOKED_AT, last: undefined })
  return mark
}

/** How many milliseconds before the last search the next one begins. */
function backOf(mark: WakeMark, after: DuePlace): number {
  return after.since - since(mark.from(after))
}
