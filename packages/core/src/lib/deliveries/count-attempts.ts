import type { AttemptRecord } from '../ports/delivery-record.ts'

/** How many attempts succeeded, how many failed, and how long all of them took in total. */
export interface AttemptCount {
  readonly delivered: number
  readonly failed: number
  readonly durationMs: number
}

/**
 * Counts the attempts of a settlement, for the hourly counts. Attempts whose event no longer exists are not counted,
 * because they sent nothing.
 */
export function countAttempts(attempts: readonly Pick<AttemptRecord, 'outcome' | 'durationMs'>[]): AttemptCount {
  let [delivered, failed, durationMs] = [0, 0, 0]
  for (const attempt of attempts) {
    if (attempt.outcome === 'expired') continue
    if (attempt.outcome === 'delivered') delivered++
    else failed++
    durationMs += Math.round(attempt.durationMs)
  }
  return { delivered, failed, durationMs }
}

export function sumCounts(counts: Iterable<AttemptCount | undefined>): AttemptCount {
  const sum = { ...NO_ATTEMPTS }
  for (const count of counts) {
    sum.delivered += count?.delivered ?? 0
    sum.failed += count?.failed ?? 0
    sum.durationMs += count?.durationMs ?? 0
  }
  return sum
}

export const NO_ATTEMPTS: AttemptCount = { delivered: 0, failed: 0, durationMs: 0 }
