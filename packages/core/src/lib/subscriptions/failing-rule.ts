import type { FailingRule } from '../ports/lane-settlement.ts'

const DAY_MS = 86_400_000

/**
 * Judges a subscription by its failed attempts since its last success. The subscription is reported as failing once it
 * has 10, or when an attempt fails at least 10 minutes after the first of them. It is disabled as `failing` once it has
 * 20 and the first of them was at least 5 days ago.
 */
export const FAILING_RULE: FailingRule = {
  attempts: 20,
  durationMs: 5 * DAY_MS,
  report: { attempts: 10, afterMs: 600_000 },
}
