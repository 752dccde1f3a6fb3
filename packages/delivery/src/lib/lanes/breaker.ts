import { BREAKER_THRESHOLD } from '@callboard/core/store'
import { jitter } from '../timing/jitter.ts'

const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000

/** The results of one visit to a lane. A visit lasts from a worker's lease of the lane to the lane's settlement. */
export interface VisitOutcome {
  /** Consecutive failures of the lane before this visit. */
  readonly breakerFailures: number
  readonly succeeded: boolean
  /** How many deliveries had their first attempt in this visit, and failed it. */
  readonly failedFirstAttempts: number
  readonly failedRetries: number
}

/**
 * The lane's number of consecutive failures after a visit. While the breaker is closed, only failed first attempts are
 * counted, so the retries of one event cannot open the breaker. While the breaker is open, each failed probe adds 1. A
 * success resets the number to 0, which closes the breaker.
 */
export function breakerFailuresAfter({
  breakerFailures,
  succeeded,
  failedFirstAttempts,
  failedRetries,
}: VisitOutcome): number {
  if (succeeded) return 0
  if (breakerFailures >= BREAKER_THRESHOLD) return breakerFailures + (failedFirstAttempts + failedRetries > 0 ? 1 : 0)
  return Math.min(breakerFailures + failedFirstAttempts, BREAKER_THRESHOLD)
}

/**
 * How long the breaker pauses a lane, in milliseconds. The pause is 0 while the breaker is closed and 5 s when it
 * opens, and doubles with each failed probe up to 5 min. The pause varies by ±20 %, so that the lanes of one
 * unreachable host are probed at different times. `random` returns a number from 0 to just under 1.
 */
export function breakerPause(breakerFailures: number, random: () => number = Math.random): number {
  if (breakerFailures < BREAKER_THRESHOLD) return 0
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(breakerFailures - BREAKER_THRESHOLD, 10), LONGEST_PAUSE_MS)
  return jitter(pause, random)
}
