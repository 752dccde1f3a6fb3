const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** Formats milliseconds for people, in the largest unit that fits, rounded down: `3 min`. */
export function duration(ms: number): string {
  for (const [unit, length] of UNITS) if (ms >= length) return `${Math.floor(ms / length)} ${unit}`
  return `${Math.floor(ms)} ms`
}
