const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

const format = new Intl.RelativeTimeFormat('en')

/**
 * Formats a time for people, in the largest unit that fits: `3 minutes ago`, `in 2 hours`, `now`. A time in the past is
 * rounded down; one in the future to the nearest unit, because it says how long to wait.
 */
export function relativeTime(time: Date, now: Date): string {
  const ms = time.getTime() - now.getTime()
  for (const [unit, length] of UNITS)
    if (Math.abs(ms) >= length) return format.format(ms < 0 ? Math.trunc(ms / length) : Math.round(ms / length), unit)
  return 'now'
}
