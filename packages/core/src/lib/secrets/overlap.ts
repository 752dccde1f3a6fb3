import { validationFailed } from '../validation/validation.ts'

/** How long a rotated key or secret stays valid alongside its successor by default, in milliseconds: a day. */
export const DEFAULT_OVERLAP_MS: number = 24 * 3_600_000
/** A year. The limit also keeps expiry times well within the range of any database. */
const MAX_OVERLAP_MS = 366 * DEFAULT_OVERLAP_MS

/** @throws CallboardError `VALIDATION_FAILED` for an overlap that is negative, not a number, or longer than a year. */
export function assertOverlap(overlapMs: number): void {
  if (overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS) return
  const message = 'overlapMs must be between 0 and a year, in milliseconds.'
  throw validationFailed({ path: 'overlapMs', code: 'RANGE', message })
}
