/** Converts milliseconds since 1970, as SQL returns them, to a Date. */
export function dateOf(milliseconds: number): Date {
  return new Date(Math.round(milliseconds))
}

/** Like {@link dateOf}, for a column that may be null. */
export function optionalDate(milliseconds: number | null): Date | undefined {
  return milliseconds === null ? undefined : dateOf(milliseconds)
}
