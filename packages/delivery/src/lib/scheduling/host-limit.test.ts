import { describe, expect, it } from 'vitest'
import { createHostLimit, type HostLimit, type RequestEnd } from './host-limit.ts'

const PATIENCE_MS = 250

/** A host, and the rounds of requests that it gets. */
function start({ perHost = 500 }: { perHost?: number } = {}) {
  const host = createHostLimit({ perHost, patienceMs: PATIENCE_MS })
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
        { ...OK, startedAt, endedAt: now, ...(typeof end === 'function' ? end(n) : end) },
        open ?? host.limit(),
      )
    return host.limit()
  }
  const rounds = (count: number, ...with_: Parameters<typeof round>): number[] =>
    Array.from({ length: count }, () => round(...with_))
  return { host, round, rounds }
}

const OK = { coped: true, answered: true, expectedToFail: false }
const FAILED = { coped: false }
const HUNG = { coped: false, answered: false }

const describeHost = (host: HostLimit) => ({ limit: host.limit(), quick: host.isQuick(), answered: host.hasAnswered() })

describe('the limit of a host', () => {
  it('is at most four until the host has answered', () => {
    const { host, rounds } = start()
    expect(describeHost(host)).toEqual({ limit: 4, quick: false, answered: false })
    rounds(3, HUNG)
    expect(describeHost(host)).toEqual({ limit: 2, quick: false, answered: false })
  })

  it('doubles with each round of answers until something fails', () => {
    expect(start().rounds(5)).toEqual([8, 16, 32, 64, 128])
  })

  it('reaches perHost within a few rounds, and never exceeds it', () => {
    expect(start().rounds(9).at(-1)).toBe(500)
    expect(start({ perHost: 20 }).rounds(9).at(-1)).toBe(20)
  })

  it('rises by one per round after the first failure', () => {
    const { round, rounds } = start()
    rounds(3)
    expect(round(FAILED)).toBe(24)
    // Each answer adds at most 1/24, so the first round adds slightly less than one.
    expect(rounds(4)).toEqual([24, 25, 26, 27])
  })

  it('falls by a quarter after a round with failures, however many requests failed', () => {
    const { round, rounds } = start()
    rounds(3)
    expect(round(FAILED)).toBe(24)
    // The other requests of the round are answered, and raise the limit by one.
    expect(round((n) => (n === 0 ? FAILED : {}))).toBe(19)
    expect(round(HUNG)).toBe(14)
  })

  it('never falls below two, so that one request that hangs leaves room for another', () => {
    expect(start().rounds(20, HUNG).at(-1)).toBe(2)
  })

  it('stays at one where perHost is one', () => {
    const { round, rounds } = start({ perHost: 1 })
    expect(rounds(3)).toEqual([1, 1, 1])
    expect(round(FAILED)).toBe(1)
  })

  it('rises only while at least a quarter of it is in use, because one lane may use no more than a quarter', () => {
    const { round, rounds } = start()
    rounds(3)
    expect(rounds(20, {}, { open: 7 }).at(-1)).toBe(32)
    expect(round({}, { open: 8 })).toBeGreaterThan(32)
  })

  it('falls while answers take ever longer', () => {
    const { round, rounds } = start()
    rounds(4)
    const before = round()
    const during = rounds(4, {}, { tookMs: 2_000 })
    expect(Math.min(...during)).toBeLessThan(before)
    expect(during[1]).toBeLessThan(during[0]!)
  })

  it('does not fall for answers that are slow but no slower than usual', () => {
    expect(start().rounds(5, {}, { tookMs: 1_900 }).at(-1)).toBe(128)
  })

  it('does not fall for answers that are slower than usual but still quick', () => {
    const { round, rounds } = start()
    rounds(3, {}, { tookMs: 2 })
    expect(round({}, { tookMs: PATIENCE_MS })).toBe(64)
  })

  it('does not fall for a lane that keeps failing while the host answers others', () => {
    const { host, round } = start()
    round()
    expect(round({ ...FAILED, expectedToFail: true })).toBe(8)
    expect(host.isQuick()).toBe(true)
  })

  it('falls for a lane that keeps failing if no other lane is answered', () => {
    const { round } = start()
    expect(round({ ...FAILED, expectedToFail: true })).toBe(3)
    round({}, { open: 1 })
    expect(round({ ...FAILED, expectedToFail: false })).toBe(2)
    // No request has been answered since that failure.
    expect(round({ ...FAILED, expectedToFail: true })).toBe(2)
  })
})

describe('a host', () => {
  it('is quick once it has answered within patienceMs', () => {
    const { host, round } = start()
    round({}, { tookMs: PATIENCE_MS })
    expect(host.isQuick()).toBe(true)
  })

  it('is no longer quick after a slow answer, a failure, or a request that is late', () => {
    for (const slow of [
      ({ round }: ReturnType<typeof start>) => round({}, { tookMs: PATIENCE_MS + 1 }),
      ({ round }: ReturnType<typeof start>) => round(FAILED),
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
    round(FAILED)
    expect(describeHost(host)).toEqual({ limit: 3, quick: false, answered: true })
  })
})
