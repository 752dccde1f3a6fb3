import type { DueLane } from '@callboard/core/store'
import { describe, expect, it } from 'vitest'
import { createTurns, type Turns } from './turns.ts'

function lane(accountId: string, n: number, more: Partial<DueLane> = {}): DueLane {
  return { accountId, mode: 'live', id: `${accountId}${n}`, host: 'h', slow: false, dueAt: n, epoch: 1, ...more }
}

function turnsOf(...lanes: readonly DueLane[]): Turns {
  const turns = createTurns()
  for (const each of lanes) expect(turns.add(each)).toBe(true)
  return turns
}

const anywhere = (): number => 1

/** Takes up to `most` lanes, wherever `roomAt` finds room, and returns their ids. */
function take(
  turns: Turns,
  roomAt: Parameters<Turns['takeTurns']>[0] = anywhere,
  most = Number.POSITIVE_INFINITY,
): string[] {
  const ids: string[] = []
  for (const { lane } of turns.takeTurns(roomAt)) {
    ids.push(lane.id)
    if (ids.length >= most) break
  }
  return ids
}

describe('lanes take turns', () => {
  it('round robin by account, and oldest first within an account', () => {
    const turns = turnsOf(
      lane('a', 3),
      lane('a', 1, { host: 'i' }),
      lane('a', 2),
      lane('b', 9),
      lane('c', 8),
      lane('c', 7),
    )
    expect(take(turns)).toEqual(['a1', 'b9', 'c7', 'a2', 'c8', 'a3'])
    expect(turns.size()).toBe(0)
  })

  it('and the next call continues after the account that had the last turn', () => {
    const turns = turnsOf(lane('a', 1), lane('a', 2), lane('b', 1), lane('b', 2))
    expect(take(turns, anywhere, 1)).toEqual(['a1'])
    expect(take(turns, anywhere, 1)).toEqual(['b1'])
    expect(take(turns)).toEqual(['a2', 'b2'])
  })

  it('so that 5,000 lanes of one account make another account wait for only one turn', () => {
    const turns = createTurns()
    for (let n = 0; n < 5_000; n++) turns.add(lane('flood', n, { host: `h${n % 7}` }))
    turns.add(lane('b', 9_999))
    expect(take(turns, anywhere, 2)).toEqual(['flood0', 'b9999'])
  })

  it('and an account whose lanes may not start keeps its turn', () => {
    const turns = turnsOf(lane('a', 1, { host: 'full' }), lane('b', 1), lane('b', 2), lane('c', 1))
    expect(take(turns, (_, host) => (host === 'full' ? 0 : 1), 2)).toEqual(['b1', 'c1'])
    expect(take(turns)).toEqual(['a1', 'b2'])
  })

  it('and a lane that may not start lets a younger lane of its account go first', () => {
    const turns = turnsOf(lane('a', 1, { host: 'full' }), lane('a', 2, { slow: true }), lane('a', 3))
    expect(take(turns, (_, host, slow) => (host === 'full' || slow ? 0 : 1))).toEqual(['a3'])
    expect(turns.size()).toBe(2)
  })

  it('and each turn says how many requests its lane may open', () => {
    const [turn] = turnsOf(lane('a', 1)).takeTurns(() => 7)
    expect(turn).toEqual({ lane: lane('a', 1), room: 7 })
  })
})

describe('a lane that waits for its turn', () => {
  it('waits once, however often it is added', () => {
    const turns = turnsOf(lane('a', 1), lane('a', 1), lane('a', 1, { mode: 'test' }))
    expect(turns.size()).toBe(2)
    expect(take(turns)).toHaveLength(2)
    expect(turns.add(lane('a', 1))).toBe(true)
    expect(take(turns)).toEqual(['a1'])
  })

  it('is refused if 1,000 lanes of its account are already waiting', () => {
    const turns = createTurns()
    for (let n = 0; n < 1_000; n++) expect(turns.add(lane('a', n))).toBe(true)
    expect(turns.add(lane('a', 1_000))).toBe(false)
    expect(turns.add(lane('a', 999))).toBe(true)
    expect(turns.add(lane('b', 0))).toBe(true)
    take(turns, anywhere, 1)
    expect(turns.add(lane('a', 1_000))).toBe(true)
  })

  it('is accepted if its account has fewer than ten lanes, even if 50,000 lanes of other accounts are waiting', () => {
    const turns = createTurns()
    for (let n = 0; n < 50_000; n++) turns.add(lane(`a${n % 50}`, n))
    expect(turns.size()).toBe(50_000)
    for (let n = 0; n < 10; n++) expect(turns.add(lane('b', n))).toBe(true)
    expect(turns.add(lane('b', 10))).toBe(false)
  })

  it('is counted by host and by account', () => {
    const turns = turnsOf(lane('a', 1), lane('a', 2, { slow: true }), lane('b', 1), lane('b', 2, { host: 'i' }))
    const waiting = [...turns.waitingFor()].map(({ accountId, host, lanes }) => `${accountId} ${host} ${lanes}`)
    expect(waiting.sort()).toEqual(['a h 1', 'a h 1', 'b h 1', 'b i 1'])
    expect([turns.size(), turns.count()]).toEqual([4, 2])
  })
})
