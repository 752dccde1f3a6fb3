import { describe, expect, it } from 'vitest'
import type { DueLaneRow } from './statements/due-lanes.ts'
import { createWakeMark, positionAfter } from './wake-mark.ts'

const LOOKED_AT = 90_000

function found(second: number): DueLaneRow {
  return {
    account_id: 'acc',
    mode: 'live',
    subscription_id: '019a0000-0000-7000-8000-000000000000',
    host: 'example.com',
    slow: false,
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
    const { position, rest } = positionAfter([found(10), found(20)], 2, undefined)
    expect(rest).toBe(true)
    expect(createWakeMark().from(position)).toEqual({
      dueAt: '1970-01-01 00:00:20+00',
      id: '019a0000-0000-7000-8000-000000000000',
    })
  })

  it('is followed by one that begins 250 ms before it, because a commit may be that late', () => {
    const { position, rest } = positionAfter([found(10)], 2, undefined)
    expect(rest).toBe(false)
    expect(since(createWakeMark().from(position))).toBe(LOOKED_AT - 250)
    const first = positionAfter([found(10), found(20)], 2, undefined).position
    const last = positionAfter([{ ...found(30), looked_at: LOOKED_AT + 5_000 }], 2, first).position
    expect(since(createWakeMark().from(last))).toBe(LOOKED_AT - 250)
  })

  it('goes back once by the duration of a pass, because the lanes that it woke are visible only at its end', () => {
    const mark = createWakeMark()
    const { position } = positionAfter([found(10)], 2, undefined)
    mark.woke(2_000)
    mark.woke(1_000)
    expect(since(mark.from(position))).toBe(LOOKED_AT - 2_250)
    expect(since(mark.from(position))).toBe(LOOKED_AT - 250)
  })
})
