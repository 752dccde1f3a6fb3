import type { FailingRule } from '../ports/lane-settlement.ts'

const DAY_MS = 86_400_000

/**
 * A subscription is reported as failing after 10 failed attempts without a success, or when an attempt fails 10 minutes
 * or more after the first failure. It is disabled as `failing` after 20 failed attempts over 5 days.
 */
export const FAILING_RULE: FailingRule = {
  attempts: 20,
  durationMs: 5 * DAY_MS,
  report: { attempts: 10, afterMs: 600_000 },
}
