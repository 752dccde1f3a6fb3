import { jitter } from './jitter.ts'

/** Failures on different events in a row after which a lane's breaker opens (delivery rule 7). */
export const BREAKER_THRESHOLD = 5

const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000

export interface LaneVisit {
  /** Consecutive failures before this visit. */
  readonly failures: number
  readonly succeeded: boolean
  /** Events whose first try failed in this visit. */
  readonly failedFirstTries: number
  readonly failedRetries: number
}

/**
 * Consecutive failures after a visit to a lane. Up to the threshold only first tries count, so that one event that is
 * tried again and again opens nothing; from there on each failed probe counts one. A success closes the breaker.
 */
export function failuresAfter({ failures, succeeded, failedFirstTries, failedRetries }: LaneVisit): number {
  if (succeeded) return 0
  if (failures >= BREAKER_THRESHOLD) return failures + (failedFirstTries + failedRetries > 0 ? 1 : 0)
  return Math.min(failures + failedFirstTries, BREAKER_THRESHOLD)
}

/**
 * Milliseconds to leave a lane alone: 0 while the breaker is closed, then 5 s doubling to 5 min, ±20 % so that the lanes of one
 * dead host are not all probed at once. `random` gives a number from 0 up to 1; `Math.random` by default.
 */
export function breakerPause(failures: number, random: () => number = Math.random): number {
  if (failures < BREAKER_THRESHOLD) return 0
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures - BREAKER_THRESHOLD, 10), LONGEST_PAUSE_MS)
  return jitter(pause, random)
}
