import { describe, expect, it } from 'vitest'
import { createHostLimit, type RequestEnd } from './host-limit.ts'

const PATIENCE_MS = 250

/** A host, and the rounds of requests that it gets. */
function start({ perHost = 500, first }: { perHost?: number; first?: number } = {}) {
  const host = createHostLimit({ perHost, patienceMs: PATIENCE_MS }, first)
  let now = 0
  /**
   * Ends a round of requests: `open` of them, or by default as many as the limit allows. A new request replaces each
   * one, so the number of open requests stays the same.
   */
  const round = (
    end: Partial<RequestEnd> | ((n: number) => Partial<RequestEnd>) = {},
    { tookMs = 10, open }: { tookMs?: number; open?: number } = {},
  ): number => {
    const startedAt = now
    now += tookMs
    for (let n = 0, requests = open ?? host.limit(); n < requests; n++)
      host.ended(
        { ...GOOD, startedAt, endedAt: now, ...(typeof end === 'function' ? end(n) : end) },
        open ?? host.limit(),
      )
    return host.limit()
  }
  const rounds = (count: number, ...with_: Parameters<typeof round>): number[] =>
    Array.from({ length: count }, () => round(...with_))
  return { host, round, rounds }
}

const GOOD = { kind: 'good', expectedToFail: false } as const
const OVERLOAD = { kind: 'overload' } as const
const NEUTRAL = { kind: 'neutral' } as const
const STILL_FAILING = { kind: 'overload', expectedToFail: true } as const
/** Every `n`th request ends in this way. */
const each = (n: number, end: Partial<RequestEnd>) => {
  let ended = 0
  return (): Partial<RequestEnd> => (++ended % n === 0 ? end : {})
}

describe('the limit of a host', () => {
  it('begins at four, or at a number that another worker has learnt', () => {
    expect(start().host.limit()).toBe(4)
    expect(start({ first: 90 }).host.limit()).toBe(90)
    expect(start({ first: 90, perHost: 20 }).host.limit()).toBe(20)
  })

  it('rises by half with each round of answers until something fails', () => {
    expect(start().rounds(5)).toEqual([6, 9, 13, 20, 30])
  })

  it('reaches perHost within a few rounds, and never exceeds it', () => {
    expect(start().rounds(13).at(-1)).toBe(500)
    expect(start({ perHost: 20 }).rounds(13).at(-1)).toBe(20)
  })

  it('rises by one per round after the first sign of overload, and by an eighth from 16', () => {
    const { round, rounds } = start()
    round((n) => (n < 3 ? OVERLOAD : {}))
    while (round() < 13);
    expect(rounds(6)).toEqual([14, 15, 16, 18, 20, 23])
  })

  it('does not fall for failures that are no sign of overload, and does not rise with them', () => {
    const { host, rounds } = start()
    const before = rounds(5).at(-1)
    expect(rounds(50, NEUTRAL).at(-1)).toBe(before)
    expect(host.isQuick()).toBe(true)
    expect(rounds(10, each(20, NEUTRAL)).at(-1)).toBe(500)
  })

  it('rises to perHost although one request in twenty is overload, as long as they are spread', () => {
    expect(start().rounds(40, each(20, OVERLOAD)).at(-1)).toBe(500)
  })

  it('falls by a part of the share of requests that are overload', () => {
    const { rounds } = start({ first: 200 })
    const fallen = rounds(4, each(2, OVERLOAD)).at(-1)
    expect(fallen).toBeGreaterThan(100)
    expect(fallen).toBeLessThan(160)
    expect(rounds(4, OVERLOAD).at(-1)).toBeLessThan(fallen! / 2)
  })

  it('never falls below two, so that one request that hangs leaves room for another', () => {
    expect(start().rounds(20, OVERLOAD).at(-1)).toBe(2)
  })

  it('stays at one where perHost is one', () => {
    const { round, rounds } = start({ perHost: 1 })
    expect(rounds(3)).toEqual([1, 1, 1])
    expect(round(OVERLOAD)).toBe(1)
  })

  it('rises only while at least a quarter of it is in use, because one lane may use no more than a quarter', () => {
    const { rounds } = start({ first: 32 })
    expect(rounds(20, {}, { open: 7 }).at(-1)).toBe(32)
    expect(rounds(1, {}, { open: 8 }).at(-1)).toBeGreaterThan(32)
  })

  it('falls while answers take ever longer', () => {
    const { round, rounds } = start()
    rounds(6)
    const before = round()
    const during = rounds(4, {}, { tookMs: 2_000 })
    expect(during[3]).toBeLessThan(before)
    expect(during[3]).toBeLessThan(during[1]!)
  })

  it('does not fall for answers that are slow but no slower than usual', () => {
    expect(start().rounds(13, {}, { tookMs: 1_900 }).at(-1)).toBe(500)
  })

  it('does not fall for answers that are slower than usual but still quick', () => {
    const { rounds } = start({ first: 64 })
    rounds(3, {}, { tookMs: 2 })
    expect(rounds(9, {}, { tookMs: PATIENCE_MS }).at(-1)).toBe(500)
  })

  it('does not fall because some targets of the host always take longer than the others', () => {
    const { host } = start({ first: 64 })
    for (let n = 0; n < 20_000; n++) host.ended({ ...GOOD, startedAt: 0, endedAt: n % 10 === 0 ? 1_900 : 50 }, 64)
    expect(host.limit()).toBeGreaterThan(64)
  })

  it('does not fall for a lane that keeps failing while the host answers others', () => {
    const { host, round } = start({ first: 64 })
    const before = round()
    for (let n = 0; n < 100; n++) round(each(2, STILL_FAILING))
    expect(host.limit()).toBeGreaterThan(before)
    expect(host.isQuick()).toBe(true)
  })

  it('falls for lanes that keep failing if no other lane is answered', () => {
    expect(start().rounds(3, STILL_FAILING).at(-1)).toBe(2)
    const { round, rounds } = start({ first: 64 })
    round()
    expect(rounds(10, STILL_FAILING).at(-1)).toBeLessThan(32)
  })
})

describe('a host', () => {
  it('is quick once it has answered within patienceMs', () => {
    const { host, round } = start()
    expect(host.isQuick()).toBe(false)
    round({}, { tookMs: PATIENCE_MS })
    expect(host.isQuick()).toBe(true)
  })

  it('is no longer quick after a slow answer, an overload, or a request that is late', () => {
    for (const slow of [
      ({ round }: ReturnType<typeof start>) => round({}, { tookMs: PATIENCE_MS + 1 }),
      ({ round }: ReturnType<typeof start>) => round(OVERLOAD),
      ({ host }: ReturnType<typeof start>) => host.isLate(),
    ]) {
      const started = start()
      started.round()
      slow(started)
      expect(started.host.isQuick()).toBe(false)
      started.round()
      expect(started.host.isQuick()).toBe(true)
    }
  })

  it('does not become quick by answering quickly with a failure', () => {
    const { host, round } = start()
    round(NEUTRAL)
    expect(host.isQuick()).toBe(false)
  })
})
