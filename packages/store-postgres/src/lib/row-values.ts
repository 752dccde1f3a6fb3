/** Milliseconds since the epoch, as SQL gives them, as a date. */
export function dateOf(milliseconds: number): Date {
  return new Date(Math.round(milliseconds))
}

/** The same for a column that may be null. */
export function optionalDate(milliseconds: number | null): Date | undefined {
  return milliseconds === null ? undefined : dateOf(milliseconds)
}
