import { type AttemptCount, NO_ATTEMPTS } from '../deliveries/count-attempts.ts'
import type { PeriodCount } from '../ports/health-store.ts'

const HOUR_MS = 3_600_000
const HOURS_OF_DAY = 24
/** How many hours `SubscriptionHealth.hours` covers. */
export const HEALTH_HOURS = 24
/** How many days `AccountActivity.periods` covers if the range is `week`. */
export const ACTIVITY_DAYS = 7

/** The hour that contains `time` (milliseconds since the epoch), as a number of hours since the epoch. */
export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS)
}

/** The day in UTC that contains `hour` (from {@link hourOf}), as a number of days since the epoch. */
export function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_OF_DAY)
}

/**
 * The last {@link HEALTH_HOURS} hours up to `now`, with zeros for hours without a count. The keys of `counted` are
 * results of {@link hourOf}.
 */
export function lastHours(now: number, counted: ReadonlyMap<number, AttemptCount>): PeriodCount[] {
  return last(HEALTH_HOURS, HOUR_MS, hourOf(now), counted)
}

/**
 * Like {@link lastHours}, for the last {@link ACTIVITY_DAYS} days. The keys of `counted` are results of {@link dayOf}.
 */
export function lastDays(now: number, counted: ReadonlyMap<number, AttemptCount>): PeriodCount[] {
  return last(ACTIVITY_DAYS, HOURS_OF_DAY * HOUR_MS, dayOf(hourOf(now)), counted)
}

function last(
  length: number,
  periodMs: number,
  current: number,
  counted: ReadonlyMap<number, AttemptCount>,
): PeriodCount[] {
  const first = current - length + 1
  return Array.from({ length }, (_, index) => ({
    at: new Date((first + index) * periodMs),
    ...(counted.get(first + index) ?? NO_ATTEMPTS),
  }))
}
