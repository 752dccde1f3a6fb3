import type { FailingRule } from '../ports/lane-settlement.ts'

const DAY_MS = 86_400_000

/**
 * Counts a subscription's failed attempts since its last success. The subscription is reported as failing once there
 * are 10, or when an attempt fails 10 minutes or more after the first of them. It is disabled as `failing` once there
 * are 20 and the first of them was at least 5 days ago.
 */
export const FAILING_RULE: FailingRule = {
  attempts: 20,
  durationMs: 5 * DAY_MS,
  report: { attempts: 10, afterMs: 600_000 },
}
