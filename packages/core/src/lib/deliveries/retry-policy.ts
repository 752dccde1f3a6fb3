import { jitter } from './jitter.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Waits after each failed try, in milliseconds; about 76 h in all (decisions, “Retries”). */
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
  /** Tries so far, the one that just failed included. */
  readonly tries: number
  readonly schedule: readonly number[]
  /** HTTP status of the failed try, if there was a response. */
  readonly status?: number | undefined
  /** Its `Retry-After`, as it came. */
  readonly retryAfter?: string | undefined
  /** Its `Date`, as it came. */
  readonly date?: string | undefined
  /** Milliseconds since the epoch, to read an HTTP date against when the response had no `Date`. */
  readonly now: number
  /** A number from 0 up to 1; `Math.random()` by default. */
  readonly random?: (() => number) | undefined
}

/**
 * Milliseconds until the next try, or undefined when the schedule is used up. Each wait varies by ±20 % so that a target
 * that comes back is not met by everybody at once; `Retry-After` only ever lengthens it, at most to 24 h.
 */
export function nextRetryDelay({
  tries,
  schedule,
  status,
  retryAfter,
  date,
  now,
  random = Math.random,
}: RetryQuestion): number | undefined {
  const base = schedule[tries - 1]
  if (base === undefined) return undefined
  const asked =
    status !== undefined && RETRY_AFTER_STATUSES.includes(status)
      ? parseRetryAfter(retryAfter, parseHttpDate(date) ?? now)
      : undefined
  return Math.round(Math.max(jitter(base, random), Math.min(asked ?? 0, RETRY_AFTER_MAX)))
}

/**
 * `Retry-After` (RFC 9110, 10.2.3) in milliseconds: whole seconds or an HTTP date; anything else is ignored. The date is
 * read against `now`: the target's own, if it told, since its clock and this one may be an hour apart.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim()
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const until = parseHttpDate(text)
  return until !== undefined && until > now ? until - now : undefined
}

const GMT_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/
/** C's `asctime`, which says no zone and means GMT. */
const ASCTIME_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

function parseHttpDate(value: string | undefined): number | undefined {
  const text = value?.trim()
  if (text === undefined) return undefined
  const time = GMT_DATE.test(text) ? Date.parse(text) : ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN
  return Number.isFinite(time) ? time : undefined
}

/** How long the tries of a delivery go on after its first, at most, in milliseconds; `Retry-After` may make it longer. */
export function longestSchedule(schedule: readonly number[]): number {
  return schedule.reduce((sum, wait) => sum + jitter(wait, () => 1), 0)
}
