import type { HourCount } from '../ports/health-store.ts'

const HOUR_MS = 3_600_000
/** Hours that a subscription's health covers. */
export const HEALTH_HOURS = 24

/**
 * The number of whole hours from the start of 1970 to the hour that contains a time, in milliseconds since the epoch.
 */
export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS)
}

/**
 * The last {@link HEALTH_HOURS} hours up to `now`, with zeros for hours without a count. The keys of `counted` are
 * results of {@link hourOf}.
 */
export function lastHours(
  now: number,
  counted: ReadonlyMap<number, { readonly delivered: number; readonly failed: number }>,
): HourCount[] {
  const first = hourOf(now) - HEALTH_HOURS + 1
  return Array.from({ length: HEALTH_HOURS }, (_, index) => {
    const { delivered = 0, failed = 0 } = counted.get(first + index) ?? {}
    return { at: new Date((first + index) * HOUR_MS), delivered, failed }
  })
}
