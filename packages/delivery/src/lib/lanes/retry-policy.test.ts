import { describe, expect, it } from 'vitest'
import { nextRetryDelay, parseRetryAfter } from './retry-policy.ts'

const NOW = Date.UTC(2026, 9, 1, 12)
const HOUR = 3_600_000
const httpDate = (time: number): string => new Date(time).toUTCString()

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['999999999', 999_999_999_000],
    [httpDate(NOW + HOUR), HOUR],
    ['Thursday, 01-Oct-26 13:00:00 GMT', HOUR],
    ['Thu Oct  1 13:00:00 2026', HOUR],
  ])('is parsed from %j', (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected)
  })

  it.each([
    ...['', ' ', '-1', '+5', '1.5', '1e3', '0x10', 'Infinity', 'NaN', 'soon', '120, 60', '120;a', '١٢'],
    ...['2026-10-01T13:00:00Z', '1 hour', 'Thu', 'Thu, 32 Oct 2026 13:00:00 GMT', 'Thu, 01 Oct 2026 25:00:00 GMT'],
    ...['Thu, 01 Oct 2026 13:00:00', 'Thu, 01 Oct 2026 13:00:00 +0200', 'Thu, 01 Oct 2026 13:00:00 PST'],
    ...[httpDate(NOW - HOUR), httpDate(NOW), httpDate(0)],
  ])('is ignored when its value is %j', (value) => {
    expect(parseRetryAfter(value, NOW)).toBeUndefined()
  })

  const asked = (retryAfter: string, date?: string, status = 503): number | undefined =>
    nextRetryDelay({ attempts: 1, schedule: [5_000], status, retryAfter, date, now: NOW, random: () => 0.5 })

  it('can only lengthen the wait, to at most a day, and is ignored after a 500', () => {
    expect(asked('3')).toBe(5_000)
    expect(asked('60')).toBe(60_000)
    for (const seconds of ['999999999', '9999999999', '9'.repeat(400)]) expect(asked(seconds)).toBe(24 * HOUR)
    expect(asked(httpDate(Date.UTC(9999, 0)))).toBe(24 * HOUR)
    expect(asked('60', undefined, 500)).toBe(5_000)
  })

  it("with a date is compared with the target's own clock, however wrong that clock is", () => {
    for (const skew of [-HOUR, HOUR]) expect(asked(httpDate(NOW + skew + 60_000), httpDate(NOW + skew))).toBe(60_000)
    expect(asked(httpDate(NOW + 60_000), 'no date')).toBe(60_000)
    expect(asked('60', httpDate(0))).toBe(60_000)
  })
})
