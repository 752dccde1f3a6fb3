import { validationFailed } from '../validation.ts'

/** How long what is rotated goes on beside its successor, in milliseconds: a day. */
export const DEFAULT_OVERLAP_MS: number = 24 * 3_600_000
/** Longer than that nothing is being rotated; and far from where a database's time ends. */
const MAX_OVERLAP_MS = 366 * DEFAULT_OVERLAP_MS

/** @throws CallboardError `VALIDATION_FAILED` for an overlap that is negative, no number, or longer than a year. */
export function assertOverlap(overlapMs: number): void {
  if (overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS) return
  const message = 'overlapMs must be 0 or more milliseconds, at most a year.'
  throw validationFailed({ path: 'overlapMs', code: 'RANGE', message })
}
