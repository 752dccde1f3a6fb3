const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

const format = new Intl.RelativeTimeFormat('en')

/** Formats a time for people, in the largest unit that fits, rounded down: `3 minutes ago`, `in 2 hours`, `now`. */
export function relativeTime(time: Date, now: Date): string {
  const ms = time.getTime() - now.getTime()
  for (const [unit, length] of UNITS) if (Math.abs(ms) >= length) return format.format(Math.trunc(ms / length), unit)
  return 'now'
}
