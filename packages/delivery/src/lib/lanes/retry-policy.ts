import { jitter } from '../timing/jitter.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** How long to wait after each failed attempt, in milliseconds; about 76 hours in total. */
export const DEFAULT_RETRY_SCHEDULE: readonly number[] = [
  5_000,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

const RETRY_AFTER_STATUSES: readonly number[] = [429, 502, 503, 504]
const RETRY_AFTER_MAX = 24 * HOUR

export interface RetryQuestion {
  /** Attempts so far, including the one that just failed. */
  readonly attempts: number
  readonly schedule: readonly number[]
  /** HTTP status of the failed attempt, if there was a response. */
  readonly status?: number | undefined
  /** The response's `Retry-After`, unparsed. */
  readonly retryAfter?: string | undefined
  /** The response's `Date`, unparsed. */
  readonly date?: string | undefined
  /**
   * The current time, in milliseconds since the epoch. A date in `retryAfter` is compared with this time when the
   * response had no `Date`.
   */
  readonly now: number
  /** Returns a number from 0 to just under 1; `Math.random` by default. */
  readonly random?: (() => number) | undefined
}

/**
 * Milliseconds until the next attempt, or undefined when the schedule is used up. Each wait varies by ±20 %, so that a
 * recovering target does not get all retries at once. `Retry-After` can only lengthen the wait, to at most 24 h.
 */
export function nextRetryDelay({
  attempts,
  schedule,
  status,
  retryAfter,
  date,
  now,
  random = Math.random,
}: RetryQuestion): number | undefined {
  const base = schedule[attempts - 1]
  if (base === undefined) return undefined
  const asked =
    status !== undefined && RETRY_AFTER_STATUSES.includes(status)
      ? parseRetryAfter(retryAfter, parseHttpDate(date) ?? now)
      : undefined
  return Math.round(Math.max(jitter(base, random), Math.min(asked ?? 0, RETRY_AFTER_MAX)))
}

/**
 * Converts `Retry-After` (RFC 9110, 10.2.3) to milliseconds. Accepts whole seconds or an HTTP date; returns undefined
 * for any other value and for a past date. A date is compared with `now`. As `now`, pass the response's `Date` if it
 * has one, because the target's clock can be an hour off.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim()
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const until = parseHttpDate(text)
  return until !== undefined && until > now ? until - now : undefined
}

const GMT_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/
/** The format of C's `asctime`, which names no time zone. In HTTP, a date in this format is always in GMT. */
const ASCTIME_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

function parseHttpDate(value: string | undefined): number | undefined {
  const text = value?.trim()
  if (text === undefined) return undefined
  const time = GMT_DATE.test(text) ? Date.parse(text) : ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN
  return Number.isFinite(time) ? time : undefined
}

/**
 * The longest possible time from a delivery's first attempt to its last, in milliseconds, if no response has a
 * `Retry-After`.
 */
export function longestSchedule(schedule: readonly number[]): number {
  return schedule.reduce((sum, wait) => sum + jitter(wait, () => 1), 0)
}
