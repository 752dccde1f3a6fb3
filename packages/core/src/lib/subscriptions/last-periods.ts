import { type AttemptCount, NO_ATTEMPTS } from '../deliveries/count-attempts.ts'
import type { ActivityRange, PeriodCount } from '../ports/health-store.ts'

interface Periods {
  /** How many periods the range has. */
  readonly length: number
  /** How long each period is, in milliseconds. */
  readonly ms: number
}

/** A range of one subscription: the last hour, minute by minute, or one of an account. */
export type HistoryRange = 'hour' | ActivityRange

/** The periods of each range: 60 minutes, 24 hours, or 7 or 30 days in UTC. */
export const PERIODS: Readonly<Record<HistoryRange, Periods>> = {
  hour: { length: 60, ms: 60_000 },
  day: { length: 24, ms: 3_600_000 },
  week: { length: 7, ms: 86_400_000 },
  month: { length: 30, ms: 86_400_000 },
}

/**
 * The last periods of a range up to `now`, with zeros for periods without a count. The keys of `counted` number the
 * periods since the epoch.
 */
export function lastPeriods(
  range: HistoryRange,
  now: number,
  counted: ReadonlyMap<number, AttemptCount>,
): PeriodCount[] {
  const { length, ms } = PERIODS[range]
  const first = Math.floor(now / ms) - length + 1
  return Array.from({ length }, (_, index) => ({
    at: new Date((first + index) * ms),
    ...(counted.get(first + index) ?? NO_ATTEMPTS),
  }))
}
